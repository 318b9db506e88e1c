import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sha256 } from '../../kit/crypto.ts';
import type { Route } from '../../tenants/api/route.ts';
import { isLocal } from '../http/local.ts';
import type { Pages } from '../http/server.ts';
import { buildDocument } from './document.ts';
import { PAGE_HEADERS } from './page/assets.ts';
import { documentationPage } from './page/page.ts';

const PRIVATE = { 'Cache-Control': 'private, no-cache' };

const squeeze = { br: promisify(brotliCompress), gzip: promisify(gzip) };

/** A text that is the same for everyone, cached with its compressed forms. */
interface Sheet {
  type: string;
  headers: Readonly<Record<string, string>>;
  text: string;
  etag: string;
  squeezed: Map<string, Promise<Buffer>>;
}

/**
 * Serves `/openapi.json` and `/docs`: without a key, cacheable, built on first use.
 * @param key public sandbox key of the demo team; the page has it for browsers of this machine only
 */
export function documentationPages(routes: readonly Route[], server: string, key?: string): Pages {
  const document = once(() => buildDocument(routes, server));
  const json = once(() =>
    sheet('application/json; charset=utf-8', `${JSON.stringify(document(), null, 2)}\n`, { 'Access-Control-Allow-Origin': '*' }),
  );
  const page = once(() => sheet('text/html; charset=utf-8', documentationPage(document()), PAGE_HEADERS));
  const own = once(() => sheet('text/html; charset=utf-8', documentationPage(document(), key), { ...PAGE_HEADERS, ...PRIVATE }));
  return (app: FastifyInstance) => {
    app.get('/openapi.json', { exposeHeadRoute: true }, (request, reply) => send(json(), request, reply));
    app.get('/docs', { exposeHeadRoute: true }, (request, reply) =>
      send(key !== undefined && isLocal({ public_url: server }, request) ? own() : page(), request, reply),
    );
  };
}

function once<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

function sheet(type: string, text: string, headers: Readonly<Record<string, string>>): Sheet {
  // Weak, because the compressed forms of the same text have other bytes.
  return { type, text, headers, etag: `W/"${sha256(text).toString('base64url').slice(0, 22)}"`, squeezed: new Map() };
}

async function send(found: Sheet, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { type, headers, etag, text } = found;
  // Revalidated on every use, which costs a few bytes while nothing has changed: a new release is visible immediately.
  reply.header('Cache-Control', 'public, no-cache').header('X-Content-Type-Options', 'nosniff');
  reply.headers(headers).type(type).header('ETag', etag).header('Vary', 'Accept-Encoding');
  if (String(request.headers['if-none-match'] ?? '').includes(etag)) return reply.code(304).send();
  const accepted = String(request.headers['accept-encoding'] ?? '');
  const encoding = (['br', 'gzip'] as const).find((name) => new RegExp(`\\b${name}\\b`).test(accepted));
  if (!encoding) return reply.send(text);
  const bytes = found.squeezed.get(encoding) ?? squeeze[encoding](text);
  found.squeezed.set(encoding, bytes);
  return reply.header('Content-Encoding', encoding).send(await bytes);
}
