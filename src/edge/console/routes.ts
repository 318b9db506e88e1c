import { parse } from 'node:querystring';
import { Readable } from 'node:stream';
import cookie from '@fastify/cookie';
import formbody from '@fastify/formbody';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { notFound, Problem, unreachable } from '../../kit/errors.ts';
import { isOurFault, renderError } from '../../tenants/api/replies.ts';
import type { Route } from '../../tenants/api/route.ts';
import { compressed } from '../http/compressed.ts';
import { isAtConsole } from '../http/console-host.ts';
import type { Pages } from '../http/server.ts';
import { isCrossSite } from '../pages/browser.ts';
import { ASSETS, HEADERS, PAGE_HEADERS } from './assets.ts';
import type { ConsoleDeps } from './deps.ts';
import { Downloads } from './downloads.ts';
import { FORM_FIELD, readFormToken } from './forms.ts';
import { frame } from './frame/frame.ts';
import { liveOnlyAnswer } from './frame/live-only.ts';
import { problemAnswer, problemPage } from './frame/problem.ts';
import { Operations } from './operations.ts';
import { type Answer, type ConsolePage, type PersonVisit, redirect, type TeamVisit, type Visit } from './page.ts';
import { consolePagesOf } from './pages.ts';
import { confirmAction } from './pages/sign-in/confirm-action.ts';
import { cookieNames, isFresh, refuseRole, teamVisit, visitOf } from './visit.ts';

/**
 * Maximum size of a form, for unauthenticated callers (outside of a team) and in a team. A page may repeat the input, with five
 * characters for one, and the process serves no payment while it renders the page.
 */
const BODY_BYTES = { outside: 64 * 1024, team: 512 * 1024 };
/** Maximum fields of a form that are read. An invoice of a hundred lines has about five hundred. */
const MAX_FIELDS = 1_000;
/** Lifetime of the cookies of browser and language in seconds. The session's cookie ends with the browser; the session itself earlier. */
const COOKIE_S = 365 * 86_400;

interface Context {
  deps: ConsoleDeps;
  operations: Operations;
  pages: readonly ConsolePage[];
  downloads: Downloads;
  secure: boolean;
  host: string | null;
}

/** Serves the console under /console. Nothing when it is off. No other file of the console depends on the web framework. */
export function consolePages(deps: ConsoleDeps, routes: readonly Route[]): Pages {
  return (app: FastifyInstance) => {
    const { console: address } = deps.config;
    if (!address) return;
    const context: Context = {
      deps,
      operations: new Operations(deps, routes),
      pages: consolePagesOf(deps),
      downloads: new Downloads(),
      secure: address.url.startsWith('https:'),
      host: address.host,
    };
    app.register(async (scope) => serveConsole(scope, context), { prefix: '/console' });
  };
}

async function serveConsole(scope: FastifyInstance, context: Context): Promise<void> {
  await scope.register(cookie);
  // Replaces the plugin's parser, which has no limit on fields: hundreds of thousands would block the event loop for a second.
  await scope.register(formbody, { parser: (text) => parse(text, '&', '=', { maxKeys: MAX_FIELDS }) });
  scope.removeContentTypeParser(['text/plain', 'application/json']);
  scope.addHook('onRequest', async (request) => {
    // The payers' host has no console, so that the two cannot read each other's cookies.
    if (context.host !== null && !isAtConsole(context.deps.config, request)) throw notFound();
  });
  for (const asset of ASSETS.values()) {
    scope.get(asset.path.slice('/console'.length), { exposeHeadRoute: true }, (_, reply) =>
      reply.headers(asset.headers).type(asset.type).send(asset.text),
    );
  }
  for (const page of context.pages) {
    scope.route({
      method: page.method,
      url: page.who === 'team' ? `/:team/:environment${page.path}` : page.path,
      bodyLimit: page.body_bytes ?? (page.who === 'team' ? BODY_BYTES.team : BODY_BYTES.outside),
      exposeHeadRoute: page.method === 'GET',
      handler: async (request, reply) => {
        const visit = await visitOf(context.deps, request, context.secure);
        const { seen, answer } = await shown(context, page, visit, request);
        return send(context, framed(context, page, seen), request, reply, answer);
      },
    });
  }
  // Routes instead of a not-found handler: the not-found handler belongs to the API and requires a key.
  scope.all('/*', async () => {
    throw notFound();
  });
  scope.setErrorHandler((error, request, reply) => fail(context, error, request, reply));
}

/** An answer, and the visit for its frame. It is a visit in the team once the membership is verified. */
interface Seen {
  seen: Visit | TeamVisit;
  answer: Answer;
}

/**
 * Returns the visit for the frame, whose choice of a language redirects to `path`. The result of a form cannot be requested again, so
 * there the path is that of the nearest page above.
 */
function framed({ pages }: Context, page: ConsolePage, visit: Visit): Visit {
  const isPage = (path: string) => pages.some((one) => one.method === 'GET' && one.who === page.who && one.path === path);
  if (isPage(page.path)) return visit;
  let [pattern, path] = [page.path, visit.path.replace(/\?.*/s, '')];
  while (!isPage(pattern) && pattern !== '') [pattern, path] = [above(pattern), above(path)];
  return { ...visit, path: visit.query.from ?? path };
}

function above(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}

/** Runs a page. An error becomes a page in the same frame. */
async function shown(context: Context, page: ConsolePage, visit: Visit, request: FastifyRequest): Promise<Seen> {
  const seen: { visit: Visit } = { visit };
  try {
    const answer = await admitted(context, page, seen, request);
    if (answer.kind === 'file' && answer.content instanceof Readable) {
      context.downloads.begin(seen.visit.session?.user.id ?? '', answer.content);
    }
    return { seen: seen.visit, answer };
  } catch (error) {
    const { code, headers } = renderError(error);
    if (isOurFault(error)) logFault(context, error, request);
    const problem = { code, problem: error instanceof Problem ? error : null, request_id: visit.request_id };
    return { seen: seen.visit, answer: { ...problemAnswer(visit.language, problem), headers } };
  }
}

/**
 * Checks the permission for the page or action, then runs it. The order of the checks is the same for all.
 * @param seen its visit is replaced as checks add data to it
 */
async function admitted(context: Context, page: ConsolePage, seen: { visit: Visit }, request: FastifyRequest): Promise<Answer> {
  const { visit } = seen;
  if (page.method === 'POST') checkForm(context, page, visit, request);
  if (page.who === 'anyone') return page.handle(visit);
  if (!visit.session) return redirect(`/console/sign-in?to=${encodeURIComponent(visit.path)}`);
  const person: PersonVisit = { ...visit, session: visit.session };
  if (page.who === 'person') {
    if (page.operator && !visit.session.user.operator) throw notFound();
    return page.fresh && !isFresh(person) ? toProof(page, person) : page.handle(person);
  }
  const member: TeamVisit = await teamVisit(context.deps, context.operations, person);
  seen.visit = member;
  if (!member.can(page.permission)) refuseRole();
  if (page.liveOnly && member.environment === 'sandbox') {
    if (page.method === 'GET') return liveOnlyAnswer(member, page.path);
    throw new Problem(403, 'This feature exists in the live environment only.', { error_code: 'live_only_feature' });
  }
  if (page.fresh && !isFresh(member)) {
    const asking = page.method === 'GET' ? toProof(page, member) : await confirmAction(context.deps, member);
    if (asking) return asking;
  }
  return page.handle(member);
}

/**
 * Verifies that one of our own forms was submitted, in this browser and session.
 * @throws Problem 403
 */
function checkForm({ deps, host }: Context, { who }: ConsolePage, visit: Visit, request: FastifyRequest): void {
  const own = host ?? request.headers.host ?? '';
  const isOurs = !isCrossSite(request.headers, own);
  // The token of a form is valid in its session only, and that has ended.
  if (isOurs && who !== 'anyone' && !visit.session) {
    throw new Problem(403, 'You are signed out: sign in and repeat what you did.');
  }
  const nonce = readFormToken(deps.secrets, visit.browser, visit.session?.id ?? null, visit.form[FORM_FIELD]);
  if (!isOurs || nonce === null) {
    throw new Problem(403, 'The form is not valid any more: open the page again and repeat what you did.');
  }
  visit.formKey = `console-${nonce}`;
}

/**
 * Redirects to the page on which the person presents a factor, and from there back to a page that can be shown again. The input is lost:
 * in forms of a person's own account it consists of passwords and codes, which no page repeats.
 */
function toProof({ method }: ConsolePage, visit: PersonVisit): Answer {
  const to = method === 'GET' ? visit.path : (visit.query.from ?? '/console');
  return redirect(`/console/confirm?to=${encodeURIComponent(to)}`);
}

async function send(
  context: Context,
  visit: Visit,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Answer,
): Promise<FastifyReply> {
  reply.headers(HEADERS);
  setCookies(context, visit, request, reply, answer);
  switch (answer.kind) {
    case 'redirect':
      return reply.redirect(answer.to, 303);
    case 'file':
      reply.header('Content-Disposition', `attachment; filename="${answer.name}"`);
      if (request.method === 'HEAD') return sendHead(reply, answer);
      return reply.type(answer.type).send(answer.content);
    case 'document':
      reply.headers({ ...PAGE_HEADERS, ...answer.headers }).type('text/html; charset=utf-8');
      return compressed(request, reply, answer.content.text);
    case 'page': {
      reply.code(answer.status ?? 200).headers(PAGE_HEADERS);
      reply
        .headers(answer.headers ?? {})
        .type('text/html; charset=utf-8')
        .header('Content-Language', visit.language);
      return compressed(request, reply, frame(context.pages, visit, answer).text);
    }
    default:
      return unreachable(answer);
  }
}

/** Responds without the file. The framework would read the whole stream to discard it, even after the client has disconnected. */
function sendHead(reply: FastifyReply, { type, content }: Extract<Answer, { kind: 'file' }>): FastifyReply {
  if (content instanceof Readable) content.destroy();
  return reply.type(type).send('');
}

function setCookies({ secure }: Context, visit: Visit, request: FastifyRequest, reply: FastifyReply, answer: Answer): void {
  const names = cookieNames(secure);
  const options = { path: '/', httpOnly: true, sameSite: 'lax', secure } as const;
  if (request.cookies?.[names.browser] !== visit.browser) {
    reply.setCookie(names.browser, visit.browser, { ...options, maxAge: COOKIE_S });
  }
  const cookies = 'cookies' in answer ? answer.cookies : undefined;
  if (cookies?.session === null) reply.clearCookie(names.session, options);
  else if (cookies?.session !== undefined) reply.setCookie(names.session, cookies.session, options);
  if (cookies?.language) reply.setCookie(names.language, cookies.language, { ...options, maxAge: COOKIE_S });
}

function logFault({ deps }: Context, err: unknown, { tracing }: FastifyRequest): void {
  deps.log.error({ err, request_id: tracing.request_id }, 'a page of the console failed with an internal error');
}

/** Shows an error of a request that reached no page. An unexpected error reveals no internals. */
async function fail(context: Context, error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { code, headers } = renderError(error);
  if (isOurFault(error)) logFault(context, error, request);
  const problem = { code, problem: error instanceof Problem ? error : null, request_id: request.tracing.request_id };
  reply.headers(HEADERS).headers(PAGE_HEADERS).headers(headers).code(code).type('text/html; charset=utf-8');
  return compressed(request, reply, problemPage(request.headers['accept-language'], problem).text);
}
