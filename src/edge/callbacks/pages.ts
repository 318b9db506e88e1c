import type { FastifyReply, FastifyRequest } from 'fastify';
import { clientAddress } from '../http/client-address.ts';
import { subscriberOf } from '../../kit/address-list.ts';
import { ENVIRONMENTS } from '../../kit/environment.ts';
import { notFound, Problem } from '../../kit/errors.ts';
import { isId } from '../../kit/ids.ts';
import { Throttle } from '../../kit/throttle.ts';
import type { Pages } from '../http/server.ts';
import { isOurs } from '../../providers/provider-accounts/callback-address.ts';
import type { Addressed } from '../../providers/provider-accounts/directory.ts';
import type { RawCallback } from '../../providers/adapters/contract.ts';
import type { CallbackDeps } from './deps.ts';
import { verifyCallback, receive } from './receive.ts';

const BODY_BYTES = 64 * 1024;
/** Providers repeat callbacks, but not beyond this rate. */
const PER_MINUTE = 1_200;
/** Maximum number of callbacks a minute from one address to unknown accounts, and with wrong signatures. */
const MAX_WRONG_A_MINUTE = 60;
/** Number of known accounts to remember. Their callbacks are looked up whatever other requests come from the same address. */
const MAX_KNOWN_ACCOUNTS = 10_000;
const METHODS = ['GET', 'POST', 'PUT'] as const;

interface Address {
  account: string;
  id?: string;
  mac?: string;
}

/**
 * Counters per minute. An authenticated callback (by a signature, or by an unguessable address of ours) is counted for
 * its account. An unauthenticated one is counted for account and sender, so that no third party can block a provider.
 */
interface Counters {
  proven: Throttle;
  unproven: Throttle;
  wrong: Throttle;
  known: Set<string>;
}

/**
 * Routes for provider callbacks: without an API key, rate-limited for each account, with the body passed on byte for
 * byte.
 */
export function callbackPages(deps: CallbackDeps): Pages {
  const counters: Counters = {
    proven: new Throttle(deps.clock, PER_MINUTE),
    unproven: new Throttle(deps.clock, PER_MINUTE),
    wrong: new Throttle(deps.clock, MAX_WRONG_A_MINUTE),
    known: new Set(),
  };
  return (app) =>
    void app.register(async (scope) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: BODY_BYTES }, (_, body, done) => done(null, body));
      const handler = (request: FastifyRequest, reply: FastifyReply) => take(deps, counters, request, reply);
      for (const url of ['/_callbacks/:account', '/_callbacks/:account/:id/:mac']) {
        scope.route({ method: [...METHODS], url, bodyLimit: BODY_BYTES, handler });
      }
    });
}

async function take(deps: CallbackDeps, counters: Counters, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { account, id, mac } = request.params as Address;
  if (id !== undefined && !isOurs(deps.secrets, account, id, mac ?? '')) throw notFound();
  const sender = subscriberOf(clientAddress(request));
  const to = await find(deps, counters, account, sender);
  const callback = verifyCallback(to, rawOf(deps, request));
  if (callback.kind === 'forged') {
    refuse(counters.wrong.take(`${account} ${sender}`));
    deps.log.warn({ account, provider: to.provider.name }, 'a callback with a wrong signature was refused');
    throw new Problem(401, 'The signature is wrong.');
  }
  const proven = callback.kind === 'signed' || id !== undefined;
  refuse(proven ? counters.proven.take(account) : counters.unproven.take(`${account} ${sender}`));
  if ((await receive(deps, to, callback, id ?? null)) === 'matched') deps.wake.ring(to.environment);
  return acknowledge(reply, to);
}

/**
 * Returns the account of a callback. Limits lookups, so that guessing account ids does not load the database.
 * @throws Problem 404, 429
 */
async function find(deps: CallbackDeps, { known, wrong }: Counters, account: string, sender: string): Promise<Addressed> {
  if (!ENVIRONMENTS.some((environment) => isId('pa', environment, account))) throw notFound();
  if (!known.has(account)) refuse(wrong.look(sender));
  const to = await deps.providers.addressed(account);
  if (!to) {
    wrong.take(sender);
    throw notFound();
  }
  if (known.size >= MAX_KNOWN_ACCOUNTS) known.clear();
  known.add(account);
  return to;
}

function refuse(wait_s: number): void {
  if (wait_s > 0) throw new Problem(429, 'Too many callbacks.', { headers: { 'Retry-After': String(wait_s) } });
}

function rawOf(deps: CallbackDeps, request: FastifyRequest): RawCallback {
  return {
    method: request.method,
    url: deps.config.public_url + request.url,
    headers: request.headers,
    body: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
  };
}

function acknowledge(reply: FastifyReply, { provider }: Addressed): FastifyReply {
  const { status, body, content_type } = provider.acknowledgement ?? { status: 200, body: '', content_type: 'text/plain' };
  return reply.code(status).type(content_type).send(body);
}
