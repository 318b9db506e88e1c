import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import cookie from '@fastify/cookie';
import formbody from '@fastify/formbody';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../deps.ts';
import { renderError, isOurFault } from '../http/replies.ts';
import type { Pages } from '../http/server.ts';
import { HEADERS, PAGE_HEADERS } from './assets.ts';
import { COOKIE, isCrossSite, readBrowser } from './browser.ts';
import { type Answer, type Desk, openDesk, pathOf, type Visit } from './desk.ts';
import { preferredLanguage } from './language.ts';
import { submit, submitCard } from './pay.ts';
import { notice, showCard, showPage, showStatus } from './show.ts';

/** A form of a payment has a few hundred bytes. */
const BODY_BYTES = 16 * 1024;
/** Longer than any payment's window (30 days): the browser that paid can look at the result later. */
const COOKIE_S = 35 * 86_400;

/** The payer's pages under /pay: the only place of the checkout that knows the framework. */
export function checkoutPages(deps: Deps): Pages {
  const desk = openDesk(deps);
  return (app: FastifyInstance) => {
    app.register(async (scope) => pages(scope, desk), { prefix: '/pay' });
  };
}

async function pages(scope: FastifyInstance, desk: Desk): Promise<void> {
  await scope.register(cookie);
  await scope.register(formbody, { bodyLimit: BODY_BYTES });
  // What another site's form could send and a JSON parser would still read.
  scope.removeContentTypeParser('text/plain');
  const options = { bodyLimit: BODY_BYTES, exposeHeadRoute: true };
  const serve =
    (handle: (visit: Visit, request: FastifyRequest) => Promise<Answer>) =>
    async (request: FastifyRequest, reply: FastifyReply) => {
      const visit = visitOf(desk, request);
      return send(desk, visit, request, reply, await handle(visit, request));
    };

  scope.get(
    '/:token',
    options,
    serve((visit, { query }) => showPage(desk, visit, (query as { go?: string }).go === '1')),
  );
  scope.get(
    '/:token/status',
    options,
    serve((visit) => showStatus(desk, visit)),
  );
  scope.get(
    '/:token/card',
    options,
    serve((visit) => showCard(desk, visit)),
  );
  scope.post(
    '/:token',
    options,
    serve((visit, request) => submit(desk, visit, request.body)),
  );
  scope.post(
    '/:token/card',
    options,
    serve((visit, request) => submitCard(desk, visit, request.body)),
  );
  // Routes, not a handler of what is not found: that is the API's, which asks for a key.
  scope.all(
    '/',
    serve(async (visit) => notice(visit, 404, 'unknown')),
  );
  scope.all(
    '/*',
    serve(async (visit) => notice(visit, 404, 'unknown')),
  );
  scope.setErrorHandler((error, request, reply) => fail(desk, error, request, reply));
}

function visitOf(desk: Desk, request: FastifyRequest): Visit {
  const { headers } = request;
  // Absent when the request failed before its cookies were read.
  const cookies: FastifyRequest['cookies'] | null = request.cookies;
  return {
    token: (request.params as { token?: string }).token ?? '',
    language: preferredLanguage(headers['accept-language']),
    browser: readBrowser(cookies?.[COOKIE]),
    json: headers.accept?.includes('application/json') ?? false,
    jsonBody: headers['content-type']?.startsWith('application/json') ?? false,
    crossSite: isCrossSite(headers, new URL(desk.deps.config.public_url).host),
    ip: request.ip,
  };
}

async function send(
  desk: Desk,
  visit: Visit,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Answer,
): Promise<FastifyReply> {
  reply.headers(HEADERS);
  if (answer.browser !== undefined && answer.browser !== visit.browser) giveCookie(desk, visit, reply, answer.browser);
  if (answer.kind === 'redirect') return reply.redirect(answer.to, 303);
  reply.code(answer.status).headers(answer.headers ?? {});
  if (answer.kind === 'json') return reply.type('application/json; charset=utf-8').send(JSON.stringify(answer.body));
  reply.headers(PAGE_HEADERS).type('text/html; charset=utf-8').header('Content-Language', visit.language);
  return compressed(request, reply, answer.page.text);
}

function giveCookie(desk: Desk, visit: Visit, reply: FastifyReply, browser: string): void {
  const secure = desk.deps.config.public_url.startsWith('https:');
  const path = pathOf(desk, visit.token);
  reply.setCookie(COOKIE, browser, { path, httpOnly: true, sameSite: 'lax', secure, maxAge: COOKIE_S });
}

const squeeze = { br: promisify(brotliCompress), gzip: promisify(gzip) };
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT } };

/** A page shrinks to a third. No secret can be guessed from its size: another site can not make a submit that is echoed. */
async function compressed(request: FastifyRequest, reply: FastifyReply, text: string): Promise<FastifyReply> {
  const accepted = String(request.headers['accept-encoding'] ?? '');
  if (/\bbr\b/.test(accepted)) return reply.header('Content-Encoding', 'br').send(await squeeze.br(text, BROTLI));
  if (/\bgzip\b/.test(accepted)) return reply.header('Content-Encoding', 'gzip').send(await squeeze.gzip(text));
  return reply.send(text);
}

/** What nobody foresaw: the payer learns that the fault is ours and where to look before paying again. */
async function fail(desk: Desk, error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { code, headers, body } = renderError(error);
  const { request_id } = request.tracing;
  if (isOurFault(error)) desk.deps.log.error({ err: error, request_id }, 'a page failed for a reason of ours');
  const visit = visitOf(desk, request);
  const answer: Answer = visit.json
    ? { kind: 'json', status: code, body, headers }
    : notice(visit, code, code >= 500 ? 'broken' : 'refused', pathOf(desk, visit.token));
  return send(desk, visit, request, reply, answer);
}
