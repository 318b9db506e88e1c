import cookie from '@fastify/cookie';
import formbody from '@fastify/formbody';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { HEADERS, PAGE_HEADERS } from '../pages/assets.ts';
import { COOKIE, isCrossSite, newBrowser, readBrowser } from '../pages/browser.ts';
import { isLanguage, preferredLanguage } from '../pages/language.ts';
import { noticePage } from '../pages/notice.ts';
import { clientAddress } from '../http/client-address.ts';
import { compressed } from '../http/compressed.ts';
import { isOurFault, renderError } from '../../tenants/api/replies.ts';
import type { Pages } from '../http/server.ts';
import type { LinkDeps } from './deps.ts';
import { type LinkAnswer, type LinkPageContext, type LinkVisit, openLinkPages, showLink, submitLink } from './handlers.ts';

/** Maximum size of a body. A link's form has a few hundred bytes. */
const BODY_BYTES = 16 * 1024;
/** Lifetime of the cookie. A form that was left open overnight can still be submitted. */
const COOKIE_S = 2 * 86_400;

/** Routes of the payment link pages under /l. No other file of the slice depends on the web framework. */
export function linkPages(deps: LinkDeps): Pages {
  const context = openLinkPages(deps);
  return (app: FastifyInstance) => {
    app.register(async (scope) => pages(scope, context), { prefix: '/l' });
  };
}

async function pages(scope: FastifyInstance, context: LinkPageContext): Promise<void> {
  await scope.register(cookie);
  await scope.register(formbody, { bodyLimit: BODY_BYTES });
  // Accepts forms only, so that another site's script cannot send JSON or text.
  scope.removeContentTypeParser(['text/plain', 'application/json']);
  const options = { bodyLimit: BODY_BYTES, exposeHeadRoute: true };
  scope.get('/:token', options, async (request, reply) => {
    const visit = visitOf(context, request);
    return send(context, visit, request, reply, await showLink(context, visit));
  });
  scope.post('/:token', options, async (request, reply) => {
    const visit = visitOf(context, request);
    return send(context, visit, request, reply, await submitLink(context, visit, request.body));
  });
  // Routes instead of a not-found handler: the not-found handler belongs to the API and requires a key.
  for (const path of ['/', '/*']) {
    scope.all(path, async (request, reply) => {
      const visit = { ...visitOf(context, request), token: '' };
      return send(context, visit, request, reply, await showLink(context, visit));
    });
  }
  scope.setErrorHandler((error, request, reply) => fail(context, error, request, reply));
}

function visitOf({ deps }: LinkPageContext, request: FastifyRequest): LinkVisit {
  const { headers } = request;
  const { lang } = (request.query ?? {}) as { lang?: unknown };
  // Undefined when the request failed before its cookies were parsed.
  const cookies: FastifyRequest['cookies'] | null = request.cookies;
  return {
    token: (request.params as { token?: string }).token ?? '',
    language: preferredLanguage(headers['accept-language']),
    chosen: isLanguage(lang) ? lang : null,
    accepts: headers['accept-language'],
    browser: readBrowser(cookies?.[COOKIE]) ?? newBrowser(),
    known: readBrowser(cookies?.[COOKIE]) !== null,
    crossSite: isCrossSite(headers, new URL(deps.config.public_url).host),
    ip: clientAddress(request),
    request_id: request.tracing.request_id,
  };
}

async function send(
  context: LinkPageContext,
  visit: LinkVisit,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: LinkAnswer,
): Promise<FastifyReply> {
  reply.headers(HEADERS);
  if ('to' in answer) return reply.redirect(answer.to, 303);
  if (answer.form && !visit.known) giveCookie(context, visit, reply);
  reply
    .headers(PAGE_HEADERS)
    .header('Content-Language', answer.language)
    .headers(answer.headers ?? {});
  reply.code(answer.status).type('text/html; charset=utf-8');
  return compressed(request, reply, answer.page.text);
}

function giveCookie({ deps, base }: LinkPageContext, { browser, token }: LinkVisit, reply: FastifyReply): void {
  const secure = deps.config.public_url.startsWith('https:');
  reply.setCookie(COOKIE, browser, { path: `${base}/l/${token}`, httpOnly: true, sameSite: 'lax', secure, maxAge: COOKIE_S });
}

async function fail(
  context: LinkPageContext,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { code } = renderError(error);
  const { request_id } = request.tracing;
  if (isOurFault(error)) context.deps.log.error({ err: error, request_id }, 'a page failed with an internal error');
  const visit = visitOf(context, request);
  const language = visit.chosen ?? visit.language;
  const page = noticePage(language, code >= 500 ? 'broken' : 'refused');
  return send(context, visit, request, reply, { status: code, page, language });
}
