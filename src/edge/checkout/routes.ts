import cookie from '@fastify/cookie';
import formbody from '@fastify/formbody';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { clientAddress } from '../http/client-address.ts';
import { compressed } from '../http/compressed.ts';
import { renderError, isOurFault } from '../../tenants/api/replies.ts';
import type { Pages } from '../http/server.ts';
import { Problem, unreachable } from '../../kit/errors.ts';
import { HEADERS, PAGE_HEADERS } from '../pages/assets.ts';
import { COOKIE, isCrossSite, LANGUAGE_COOKIE, readBrowser, showsCode } from '../pages/browser.ts';
import type { CheckoutDeps } from './deps.ts';
import { type Answer, countRead, type CheckoutContext, openCheckout, pathOf, type Visit } from './context.ts';
import { isLanguage, preferredLanguage } from '../pages/language.ts';
import { submit, submitCancel, submitCard, submitCode } from './pay.ts';
import { sendReceipt, showReceipt } from './receipt.ts';
import { chooseLanguage, notice, problemAnswer, showCard, showEvents, showLogo, showPage, showStatus } from './show.ts';
import { toPage } from './to-page.ts';

/** Maximum size of a body. A payment's form has a few hundred bytes. */
const BODY_BYTES = 16 * 1024;
/** Lifetime of the cookies. Longer than any payment's validity (30 days): the browser that paid can see the result later. */
const COOKIE_S = 35 * 86_400;

/** Routes of the payment pages under /pay. No other file of the checkout depends on the web framework. */
export function checkoutPages(deps: CheckoutDeps): Pages {
  const context = openCheckout(deps);
  return (app: FastifyInstance) => {
    app.addHook('preClose', async () => context.live.close());
    app.addHook('onClose', async () => context.printer.close());
    app.register(async (scope) => pages(scope, context), { prefix: '/pay' });
  };
}

type Serve = (
  handle: (visit: Visit, request: FastifyRequest) => Promise<Answer>,
) => (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

async function pages(scope: FastifyInstance, context: CheckoutContext): Promise<void> {
  await scope.register(cookie);
  await scope.register(formbody, { bodyLimit: BODY_BYTES });
  // Another site's form could send text/plain, and a JSON parser would still read it.
  scope.removeContentTypeParser('text/plain');
  const options = { bodyLimit: BODY_BYTES, exposeHeadRoute: true };
  const serve = serverOf(context);

  scope.get(
    '/:token',
    options,
    serve((visit, { query }) => {
      const { go, lang } = query as { go?: unknown; lang?: unknown };
      return isLanguage(lang) ? chooseLanguage(context, visit, lang) : showPage(context, visit, go === '1');
    }),
  );
  scope.get(
    '/:token/status',
    options,
    serve((visit) => showStatus(context, visit)),
  );
  scope.get(
    '/:token/events',
    serve((visit) => showEvents(context, visit)),
  );
  scope.get(
    '/:token/logo',
    options,
    serve((visit) => showLogo(context, visit)),
  );
  scope.get(
    '/:token/card',
    options,
    serve((visit) => showCard(context, visit)),
  );
  // A browser that reloads after a rejected submit requests its address with GET.
  for (const step of ['otp', 'cancel']) {
    scope.get(
      `/:token/${step}`,
      serve(async (visit) => toPage(context, visit)),
    );
  }
  receiptPages(scope, context, serve);
  submits(scope, context, serve);
  // Routes instead of a not-found handler: the not-found handler belongs to the API and requires a key.
  scope.all(
    '/',
    serve(async (visit) => notice(visit, 404, 'unknown')),
  );
  scope.all(
    '/*',
    serve(async (visit) => notice(visit, 404, 'unknown')),
  );
  scope.setErrorHandler((error, request, reply) => fail(context, error, request, reply));
}

/** Registers the routes to which the forms of a page are submitted. */
function submits(scope: FastifyInstance, context: CheckoutContext, serve: Serve): void {
  const options = { bodyLimit: BODY_BYTES };
  scope.post(
    '/:token',
    options,
    serve((visit, request) => submit(context, visit, request.body)),
  );
  scope.post(
    '/:token/card',
    options,
    serve((visit, request) => submitCard(context, visit, request.body)),
  );
  scope.post(
    '/:token/otp',
    options,
    serve((visit, request) => submitCode(context, visit, request.body)),
  );
  scope.post(
    '/:token/cancel',
    options,
    serve((visit, request) => submitCancel(context, visit, request.body)),
  );
}

function serverOf(context: CheckoutContext): Serve {
  return (handle) => async (request, reply) => {
    const visit = visitOf(context, request);
    const wait_s = request.method === 'POST' ? 0 : countRead(context, visit);
    const answer = wait_s > 0 ? tooManyReads(context, visit, wait_s) : await handle(visit, request);
    return send(context, visit, request, reply, answer);
  };
}

function receiptPages(scope: FastifyInstance, context: CheckoutContext, serve: Serve): void {
  scope.get(
    '/:token/receipt',
    { exposeHeadRoute: true },
    serve((visit, { query }) => {
      const { lang } = query as { lang?: unknown };
      return isLanguage(lang) ? chooseLanguage(context, visit, lang, '/receipt') : showReceipt(context, visit);
    }),
  );
  scope.get(
    '/:token/receipt.pdf',
    serve((visit) => sendReceipt(context, visit)),
  );
}

function visitOf(context: CheckoutContext, request: FastifyRequest): Visit {
  const { headers } = request;
  // Undefined when the request failed before its cookies were parsed.
  const cookies: FastifyRequest['cookies'] | null = request.cookies;
  const chosen = cookies?.[LANGUAGE_COOKIE];
  return {
    token: (request.params as { token?: string }).token ?? '',
    language: isLanguage(chosen) ? chosen : preferredLanguage(headers['accept-language']),
    chosen: isLanguage(chosen),
    accepts: headers['accept-language'],
    browser: readBrowser(cookies?.[COOKIE]),
    note: noteIn(request.query),
    json: headers.accept?.includes('application/json') ?? false,
    jsonBody: headers['content-type']?.startsWith('application/json') ?? false,
    crossSite: isCrossSite(headers, new URL(context.deps.config.public_url).host),
    desktop: showsCode(headers),
    ip: clientAddress(request),
    request_id: request.tracing.request_id,
  };
}

/** Ignores unknown values: they only select the text of a page. */
function noteIn(query: unknown): Visit['note'] {
  const { note } = (query ?? {}) as { note?: unknown };
  return note === 'ask' || note === 'asked' ? note : null;
}

async function send(
  context: CheckoutContext,
  visit: Visit,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Answer,
): Promise<FastifyReply> {
  reply.headers(HEADERS);
  const { browser, token = visit.token } = 'browser' in answer ? answer : {};
  const moved = token !== visit.token;
  const cookie = cookieOptions(context, token);
  if (browser !== undefined && (browser !== visit.browser || moved)) reply.setCookie(COOKIE, browser, cookie);
  if (moved && visit.chosen) reply.setCookie(LANGUAGE_COOKIE, visit.language, cookie);
  switch (answer.kind) {
    case 'redirect':
      if (answer.language) reply.setCookie(LANGUAGE_COOKIE, answer.language, cookie);
      return reply.redirect(answer.to, 303);
    case 'picture':
      // Fetched once for a payment. Another site's page cannot show the image, nor detect that it exists.
      return reply.headers(PICTURE_HEADERS).type(answer.logo.type).send(answer.logo.bytes);
    case 'pdf':
      // Sent as a download and not shown on our origin: a PDF can contain links and forms.
      return reply.headers(fileHeaders(answer.name)).type('application/pdf').send(answer.bytes);
    case 'stream':
      // Without this header nginx buffers the stream.
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

/**
 * Returns the headers of a download.
 * @param name generated by us: letters, digits, dots and hyphens
 */
function fileHeaders(name: string) {
  const disposition = `attachment; filename="${name}"`;
  return { 'Content-Disposition': disposition, 'Cross-Origin-Resource-Policy': 'same-origin', 'X-Robots-Tag': 'noindex' };
}

function cookieOptions(context: CheckoutContext, token: string) {
  const secure = context.deps.config.public_url.startsWith('https:');
  return { path: pathOf(context, token), httpOnly: true, sameSite: 'lax', secure, maxAge: COOKIE_S } as const;
}

function tooManyReads(context: CheckoutContext, visit: Visit, wait_s: number): Answer {
  const headers = { 'Retry-After': String(wait_s) };
  if (visit.json) return problemAnswer(new Problem(429, 'Too many requests for this page.', { headers }));
  return { ...notice(visit, 429, 'wait', pathOf(context, visit.token), wait_s), headers };
}

/** Answers an unexpected error. The page states that the fault is ours and where to look before paying again. */
async function fail(
  context: CheckoutContext,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { code, headers, body } = renderError(error);
  const { request_id } = request.tracing;
  if (isOurFault(error)) context.deps.log.error({ err: error, request_id }, 'a page failed with an internal error');
  const visit = visitOf(context, request);
  const answer: Answer = visit.json
    ? { kind: 'json', status: code, body, headers }
    : notice(visit, code, code >= 500 ? 'broken' : 'refused', pathOf(context, visit.token));
  return send(context, visit, request, reply, answer);
}
