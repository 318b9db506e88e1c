import cookie from '@fastify/cookie';
import formbody from '@fastify/formbody';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../deps.ts';
import { compressed } from '../http/compressed.ts';
import { renderError, isOurFault } from '../http/replies.ts';
import type { Pages } from '../http/server.ts';
import { Problem, unreachable } from '../kit/errors.ts';
import { HEADERS, PAGE_HEADERS } from './assets.ts';
import { COOKIE, isCrossSite, LANGUAGE_COOKIE, readBrowser, showsCode } from './browser.ts';
import { type Answer, countRead, type Desk, openDesk, pathOf, type Visit } from './desk.ts';
import { isLanguage, preferredLanguage } from './language.ts';
import { submit, submitCard, submitCode } from './pay.ts';
import { sendReceipt, showReceipt } from './receipt.ts';
import { chooseLanguage, notice, problemAnswer, showCard, showEvents, showLogo, showPage, showStatus } from './show.ts';

/** A form of a payment has a few hundred bytes. */
const BODY_BYTES = 16 * 1024;
/** Longer than any payment's window (30 days): the browser that paid can look at the result later. */
const COOKIE_S = 35 * 86_400;

/** The payer's pages under /pay: the only place of the checkout that knows the framework. */
export function checkoutPages(deps: Deps): Pages {
  const desk = openDesk(deps);
  return (app: FastifyInstance) => {
    app.addHook('preClose', async () => desk.live.close());
    app.addHook('onClose', async () => desk.printer.close());
    app.register(async (scope) => pages(scope, desk), { prefix: '/pay' });
  };
}

type Serve = (
  handle: (visit: Visit, request: FastifyRequest) => Promise<Answer>,
) => (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

async function pages(scope: FastifyInstance, desk: Desk): Promise<void> {
  await scope.register(cookie);
  await scope.register(formbody, { bodyLimit: BODY_BYTES });
  // What another site's form could send and a JSON parser would still read.
  scope.removeContentTypeParser('text/plain');
  const options = { bodyLimit: BODY_BYTES, exposeHeadRoute: true };
  const serve = serverOf(desk);

  scope.get(
    '/:token',
    options,
    serve((visit, { query }) => {
      const { go, lang } = query as { go?: unknown; lang?: unknown };
      return isLanguage(lang) ? chooseLanguage(desk, visit, lang) : showPage(desk, visit, go === '1');
    }),
  );
  scope.get(
    '/:token/status',
    options,
    serve((visit) => showStatus(desk, visit)),
  );
  scope.get(
    '/:token/events',
    serve((visit) => showEvents(desk, visit)),
  );
  scope.get(
    '/:token/logo',
    options,
    serve((visit) => showLogo(desk, visit)),
  );
  scope.get(
    '/:token/card',
    options,
    serve((visit) => showCard(desk, visit)),
  );
  scope.get(
    '/:token/otp',
    // The address of a page that answered a wrong code, loaded anew.
    serve(async (visit) => ({ kind: 'redirect', to: pathOf(desk, visit.token) })),
  );
  receiptPages(scope, desk, serve);
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
  scope.post(
    '/:token/otp',
    options,
    serve((visit, request) => submitCode(desk, visit, request.body)),
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

function serverOf(desk: Desk): Serve {
  return (handle) => async (request, reply) => {
    const visit = visitOf(desk, request);
    const wait_s = request.method === 'POST' ? 0 : countRead(desk, visit);
    const answer = wait_s > 0 ? tooManyReads(desk, visit, wait_s) : await handle(visit, request);
    return send(desk, visit, request, reply, answer);
  };
}

function receiptPages(scope: FastifyInstance, desk: Desk, serve: Serve): void {
  scope.get(
    '/:token/receipt',
    { exposeHeadRoute: true },
    serve((visit, { query }) => {
      const { lang } = query as { lang?: unknown };
      return isLanguage(lang) ? chooseLanguage(desk, visit, lang, '/receipt') : showReceipt(desk, visit);
    }),
  );
  scope.get(
    '/:token/receipt.pdf',
    serve((visit) => sendReceipt(desk, visit)),
  );
}

function visitOf(desk: Desk, request: FastifyRequest): Visit {
  const { headers } = request;
  // Absent when the request failed before its cookies were read.
  const cookies: FastifyRequest['cookies'] | null = request.cookies;
  const chosen = cookies?.[LANGUAGE_COOKIE];
  return {
    token: (request.params as { token?: string }).token ?? '',
    language: isLanguage(chosen) ? chosen : preferredLanguage(headers['accept-language']),
    chosen: isLanguage(chosen),
    browser: readBrowser(cookies?.[COOKIE]),
    json: headers.accept?.includes('application/json') ?? false,
    jsonBody: headers['content-type']?.startsWith('application/json') ?? false,
    crossSite: isCrossSite(headers, new URL(desk.deps.config.public_url).host),
    desktop: showsCode(headers),
    ip: request.ip,
    request_id: request.tracing.request_id,
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
  const browser = 'browser' in answer ? answer.browser : undefined;
  if (browser !== undefined && browser !== visit.browser) reply.setCookie(COOKIE, browser, cookieOptions(desk, visit));
  switch (answer.kind) {
    case 'redirect':
      if (answer.language) reply.setCookie(LANGUAGE_COOKIE, answer.language, cookieOptions(desk, visit));
      return reply.redirect(answer.to, 303);
    case 'picture':
      // Fetched once for a payment; another site's page can not show it, nor learn that it is there.
      return reply.headers(PICTURE_HEADERS).type(answer.logo.type).send(answer.logo.bytes);
    case 'pdf':
      // Kept by the payer, not shown in our name: a PDF can have links and forms of its own.
      return reply.headers(fileHeaders(answer.name)).type('application/pdf').send(answer.bytes);
    case 'stream':
      // nginx would keep what comes in small pieces.
      return reply.header('X-Accel-Buffering', 'no').type('text/event-stream').send(answer.stream);
    case 'json':
      reply.code(answer.status).headers(answer.headers ?? {});
      return reply.type('application/json; charset=utf-8').send(JSON.stringify(answer.body));
    case 'page':
      reply
        .code(answer.status)
        .headers(PAGE_HEADERS)
        .headers(answer.headers ?? {});
      reply.type('text/html; charset=utf-8').header('Content-Language', answer.language);
      return compressed(request, reply, answer.page.text);
    default:
      return unreachable(answer);
  }
}

const PICTURE_HEADERS = {
  'Cache-Control': 'private, max-age=86400',
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/** @param name ours: letters, digits, points and lines */
function fileHeaders(name: string) {
  const disposition = `attachment; filename="${name}"`;
  return { 'Content-Disposition': disposition, 'Cross-Origin-Resource-Policy': 'same-origin', 'X-Robots-Tag': 'noindex' };
}

function cookieOptions(desk: Desk, visit: Visit) {
  const secure = desk.deps.config.public_url.startsWith('https:');
  return { path: pathOf(desk, visit.token), httpOnly: true, sameSite: 'lax', secure, maxAge: COOKIE_S } as const;
}

function tooManyReads(desk: Desk, visit: Visit, wait_s: number): Answer {
  const headers = { 'Retry-After': String(wait_s) };
  if (visit.json) return problemAnswer(new Problem(429, 'Too many requests for this page.', { headers }));
  return { ...notice(visit, 429, 'busy', pathOf(desk, visit.token), wait_s), headers };
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
