import cookie from '@fastify/cookie';
import formbody from '@fastify/formbody';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { randomBase62 } from '../../kit/crypto.ts';
import { Problem } from '../../kit/errors.ts';
import { Throttle } from '../../kit/throttle.ts';
import { KeyRing } from '../../tenants/keys/ring.ts';
import { clientAddress } from '../http/client-address.ts';
import { compressed } from '../http/compressed.ts';
import { isLocal } from '../http/local.ts';
import type { Pages } from '../http/server.ts';
import { HEADERS, PAGE_HEADERS } from '../pages/assets.ts';
import { formToken, isCrossSite, isFormToken, newBrowser, readBrowser } from '../pages/browser.ts';
import { isLanguage, type Language, preferredLanguage } from '../pages/language.ts';
import type { StartPageDeps, StartPageOptions } from './deps.ts';
import { createTestPayment } from './payment.ts';
import { type Fault, namePage, POLICY, startPage } from './view.ts';

/** Maximum size of a body. The form has a hundred bytes. */
const BODY_BYTES = 4 * 1024;
/** Maximum test payments in a minute, from all browsers of this machine. */
const PAYMENTS_A_MINUTE = 30;
const COOKIE = 'pirogue_start';
const COOKIE_S = 86_400;
const STATUS: Record<Fault, number> = { expired: 403, crossSite: 403, busy: 429, refused: 409, failed: 500 };

/** Name of the constraint under which `/` is a page: other callers of `/` reach the checks of the API. */
const BROWSER = 'browser';

interface StartPage {
  deps: StartPageDeps;
  options: StartPageOptions;
  keys: KeyRing;
  payments: Throttle;
}

/**
 * Serves `/` to browsers. In production it shows the name. In development it shows what runs here with links, and to a browser on this
 * machine a test payment in one click.
 */
export function startPages(deps: StartPageDeps, options: StartPageOptions): Pages {
  const development = deps.config.profile === 'development';
  const page: StartPage = {
    ...{ deps, options },
    keys: new KeyRing(deps.stores.control, deps.clock),
    payments: new Throttle(deps.clock, PAYMENTS_A_MINUTE),
  };
  return async (app: FastifyInstance) => {
    addBrowserConstraint(app);
    const route = { constraints: { [BROWSER]: 'yes' }, bodyLimit: BODY_BYTES, exposeHeadRoute: true };
    await app.register(cookie);
    await app.register(formbody, { bodyLimit: BODY_BYTES });
    app.removeContentTypeParser(['text/plain', 'application/json']);
    app.get('/', route, (request, reply) => (development ? show(page, request, reply) : send(request, reply, namePage().text)));
    if (development && options.demo) app.post('/', route, (request, reply) => submit(page, request, reply));
  };
}

/** A browser names text/html when it opens a page or sends a form; curl and API clients accept anything or JSON. */
function addBrowserConstraint(app: FastifyInstance): void {
  app.addConstraintStrategy({
    name: BROWSER,
    storage: () => {
      const handlers = new Map<unknown, never>();
      return { get: (value) => handlers.get(value) ?? null, set: (value, handler) => handlers.set(value, handler as never) };
    },
    deriveConstraint: ({ headers }) =>
      headers.accept?.includes('text/html') && headers.authorization === undefined ? 'yes' : 'no',
  });
}

function languageOf({ query, headers }: FastifyRequest): Language {
  const { lang } = (query ?? {}) as { lang?: unknown };
  return isLanguage(lang) ? lang : preferredLanguage(headers['accept-language']);
}

/** Returns the demo team for a browser on this machine; null for others. */
function demoFor({ deps, options }: StartPage, request: FastifyRequest) {
  return isLocal(deps.config, request) ? options.demo : null;
}

function show(page: StartPage, request: FastifyRequest, reply: FastifyReply, fault?: Fault): Promise<FastifyReply> {
  const { deps, options } = page;
  const demo = demoFor(page, request);
  const known = readBrowser(request.cookies[COOKIE]);
  const browser = known ?? newBrowser();
  if (demo && !known) reply.setCookie(COOKIE, browser, { path: '/', httpOnly: true, sameSite: 'lax', maxAge: COOKIE_S });
  const nonce = randomBase62(22);
  const form = demo && { demo, nonce, form_token: formToken(deps.secrets, subjectOf(nonce), browser) };
  const language = languageOf(request);
  const address = `http://127.0.0.1:${deps.config.port}/`;
  if (fault) reply.code(STATUS[fault]);
  reply.header('Content-Language', language);
  return send(request, reply, startPage({ language, console: options.console, form, address, fault }).text);
}

/** Creates the test payment of a form and redirects to its hosted page. */
async function submit(page: StartPage, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { deps, keys, payments } = page;
  const demo = demoFor(page, request);
  if (!demo) return show(page, request, reply, 'crossSite');
  if (isCrossSite(request.headers, new URL(deps.config.public_url).host)) return show(page, request, reply, 'crossSite');
  const nonce = nonceOf(deps, request);
  if (nonce === null) return show(page, request, reply, 'expired');
  const wait_s = payments.take('payments');
  if (wait_s > 0) return show(page, request, reply.header('Retry-After', String(wait_s)), 'busy');
  try {
    const { request_id, trace_id } = request.tracing;
    const callback = `http://${request.headers.host}/?lang=${languageOf(request)}`;
    const to = await createTestPayment(deps, keys, demo, {
      nonce,
      callback,
      request_id,
      trace_id,
      ip: clientAddress(request),
      at: request.at,
    });
    return reply.headers(HEADERS).redirect(to, 303);
  } catch (error) {
    const { request_id } = request.tracing;
    const refused = error instanceof Problem && error.status < 500;
    deps.log.error({ ...(refused ? { reason: error.message } : { err: error }), request_id }, 'no test payment was created');
    return show(page, request, reply, refused ? 'refused' : 'failed');
  }
}

/** Returns the nonce of a form; null unless this browser received it. */
function nonceOf({ secrets }: StartPageDeps, request: FastifyRequest): string | null {
  const { nonce, form_token } = (request.body ?? {}) as Record<string, unknown>;
  const browser = readBrowser(request.cookies[COOKIE]);
  if (browser === null || typeof nonce !== 'string' || !/^[0-9A-Za-z]{22}$/.test(nonce)) return null;
  return isFormToken(secrets, subjectOf(nonce), browser, form_token) ? nonce : null;
}

/** Returns the subject of a form token. Tokens of the hosted page and the link page have other subjects, so none is valid here. */
function subjectOf(nonce: string): string {
  return `start|${nonce}`;
}

function send(request: FastifyRequest, reply: FastifyReply, text: string): Promise<FastifyReply> {
  reply
    .headers(HEADERS)
    .headers({ ...PAGE_HEADERS, 'Content-Security-Policy': POLICY, Vary: 'Accept, Accept-Encoding, Accept-Language, Cookie' });
  return compressed(request, reply.type('text/html; charset=utf-8'), text);
}
