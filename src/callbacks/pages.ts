import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../deps.ts';
import { notFound, Problem } from '../kit/errors.ts';
import { Throttle } from '../kit/throttle.ts';
import type { Pages } from '../http/server.ts';
import { isOurs } from '../provider-accounts/callback-address.ts';
import type { Addressed } from '../provider-accounts/directory.ts';
import type { RawCallback } from '../providers/contract.ts';
import { receive } from './receive.ts';

const BODY_BYTES = 64 * 1024;
/** Providers repeat themselves; more than this is not one of them. */
const PER_MINUTE = 1_200;
const METHODS = ['GET', 'POST', 'PUT'] as const;

interface Address {
  account: string;
  id?: string;
  mac?: string;
}

/** Where providers announce news: no key, limited for each account, the body byte for byte as it came. */
export function callbackPages(deps: Deps): Pages {
  const throttle = new Throttle(deps.clock, PER_MINUTE);
  return (app) =>
    void app.register(async (scope) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: BODY_BYTES }, (_, body, done) => done(null, body));
      const handler = (request: FastifyRequest, reply: FastifyReply) => take(deps, throttle, request, reply);
      for (const url of ['/_callbacks/:account', '/_callbacks/:account/:id/:mac']) {
        scope.route({ method: [...METHODS], url, bodyLimit: BODY_BYTES, handler });
      }
    });
}

async function take(deps: Deps, throttle: Throttle, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { account, id, mac } = request.params as Address;
  if (id !== undefined && !isOurs(deps.secrets, account, id, mac ?? '')) throw notFound();
  const to = await deps.providers.addressed(account);
  if (!to) throw notFound();
  if (throttle.take(account) > 0) throw new Problem(429, 'Too many callbacks for this account.');
  const received = await receive(deps, to, rawOf(deps, request), id ?? null);
  if (received === 'forged') {
    deps.log.warn({ account, provider: to.provider.name }, 'a callback with a wrong signature was refused');
    throw new Problem(401, 'The signature is wrong.');
  }
  if (received === 'heard') deps.wake.ring(to.environment);
  return acknowledge(reply, to);
}

function rawOf(deps: Deps, request: FastifyRequest): RawCallback {
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
