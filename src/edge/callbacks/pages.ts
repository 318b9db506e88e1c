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
import { type AnsweredCallback, callbackKeeper } from './keep.ts';
import { type AuthenticCallback, receive, verifyCallback } from './receive.ts';

const BODY_BYTES = 64 * 1024;
/** Maximum number of callbacks a minute. Providers repeat callbacks, but not beyond this rate. */
const PER_MINUTE = 1_200;
/** Maximum number of unauthenticated callbacks a minute about one attempt, payout or refund. Each of them causes a status read. */
const MAX_HINTS_A_MINUTE = 10;
/** Maximum number of callbacks a minute from one address to unknown accounts, and with wrong signatures. */
const MAX_WRONG_A_MINUTE = 60;
/** Maximum number of known accounts. Their callbacks are looked up even when other requests of the same address are rejected. */
const MAX_KNOWN_ACCOUNTS = 10_000;
/** The answer that providers get unless they expect another. */
const ACKNOWLEDGEMENT = { status: 200, body: '', content_type: 'text/plain' };
const METHODS = ['GET', 'POST', 'PUT'] as const;

interface Address {
  account: string;
  id?: string;
  mac?: string;
}

/**
 * Counters per minute. An authenticated callback (by a signature, or by an unguessable address of ours) is counted for
 * its account. An unauthenticated one is counted for account and sender, so that no third party can block a provider. `hints`: those
 * that matched an operation, counted for the operation too.
 */
interface Counters {
  proven: Throttle;
  unproven: Throttle;
  hints: Throttle;
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
    hints: new Throttle(deps.clock, MAX_HINTS_A_MINUTE),
    wrong: new Throttle(deps.clock, MAX_WRONG_A_MINUTE),
    known: new Set(),
  };
  return (app) =>
    void app.register(async (scope) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: BODY_BYTES }, (_, body, done) => done(null, body));
      const { keep, kept } = callbackKeeper(deps);
      scope.addHook('onClose', kept);
      const handler = (request: FastifyRequest, reply: FastifyReply) => take({ deps, counters, keep }, request, reply);
      for (const url of ['/_callbacks/:account', '/_callbacks/:account/:id/:mac']) {
        scope.route({ method: [...METHODS], url, bodyLimit: BODY_BYTES, handler });
      }
    });
}

interface Context {
  deps: CallbackDeps;
  counters: Counters;
  keep: (answered: AnsweredCallback) => void;
}

async function take({ deps, counters, keep }: Context, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const at = deps.clock.now();
  const began_ms = performance.now();
  const { account, id, mac } = request.params as Address;
  if (id !== undefined && !isOurs(deps.secrets, account, id, mac ?? '')) throw notFound();
  const sender = subscriberOf(clientAddress(request));
  const to = await find(deps, counters, account, sender);
  const raw = rawOf(deps, request);
  const callback = verifyCallback(to, raw);
  const kept = (about: AnsweredCallback['about'], answer: AnsweredCallback['answer']) =>
    keep({
      ...{ to, raw, callback, about, answer, at },
      by_address: id !== undefined,
      duration_ms: performance.now() - began_ms,
    });
  if (callback.kind === 'forged') {
    refuse(counters.wrong.take(`${account} ${sender}`));
    deps.log.warn({ account, provider: to.provider.name }, 'a callback with a wrong signature was refused');
    // Without an address of ours it is unknown what it is about.
    if (id !== undefined) kept({ subject_id: id, numbers: null }, { status: 401, body: '' });
    throw new Problem(401, 'The signature is wrong.');
  }
  const proven = callback.kind === 'signed' || id !== undefined;
  refuse(proven ? counters.proven.take(account) : counters.unproven.take(`${account} ${sender}`));
  const hint = proven ? null : hintOf(callback, `${account} ${sender}`);
  // Beyond the maximum the answer is the same, so that it does not reveal what matches.
  const isRepeated = hint !== null && counters.hints.look(hint) > 0;
  const about = isRepeated ? null : await receive(deps, to, callback, id ?? null);
  if (about && hint !== null) counters.hints.take(hint);
  const answer = to.provider.acknowledgement ?? ACKNOWLEDGEMENT;
  if (about) {
    deps.wake.ring(to.environment);
    kept(about, answer);
  }
  return reply.code(answer.status).type(answer.content_type).send(answer.body);
}

/** Returns the name under which an unauthenticated callback is counted; null when its sender has presented a secret. */
function hintOf(callback: AuthenticCallback, from: string): string | null {
  return callback.kind === 'hint' && !callback.proven && callback.subject
    ? `${from} ${callback.subject.by} ${callback.subject.value}`
    : null;
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
