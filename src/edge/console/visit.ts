import type { FastifyRequest } from 'fastify';
import { randomBase62, type Secrets } from '../../kit/crypto.ts';
import { must, notFound, Problem } from '../../kit/errors.ts';
import { isEnvironment } from '../../kit/environment.ts';
import { html } from '../../kit/html.ts';
import { textFault } from '../../tenants/api/body.ts';
import { MAX_WAITING } from '../../tenants/approvals/schema.ts';
import { listWaiting } from '../../tenants/approvals/store.ts';
import { FRESH_MS, readSession } from '../../tenants/people/sessions.ts';
import { roleInSession } from '../../tenants/people/session-store.ts';
import { isPermitted, scopesOf } from '../../tenants/people/roles.ts';
import { findTeam } from '../../tenants/teams/store.ts';
import { clientAddress } from '../http/client-address.ts';
import { mayDecide } from './approvals/decider.ts';
import type { ConsoleDeps } from './deps.ts';
import { FORM_FIELD, newFormToken } from './forms.ts';
import { consoleLanguage } from './language.ts';
import type { Operations } from './operations.ts';
import { MAX_SHOWN_WAITING, type PersonVisit, type TeamVisit, type Visit } from './page.ts';

/** Cookies of the console. `__Host-` binds a cookie to this host, and browsers accept it over https only. */
export function cookieNames(secure: boolean) {
  const prefix = secure ? '__Host-' : '';
  return { session: `${prefix}pirogue_session`, browser: `${prefix}pirogue_browser`, language: 'pirogue_console_lang' };
}

const BROWSER_FORM = /^[0-9A-Za-z]{43}$/;

/** Reads a request for the console: its session, browser and language. */
export async function visitOf(deps: ConsoleDeps, request: FastifyRequest, secure: boolean): Promise<Visit> {
  const params = request.params as Record<string, string>;
  const query = onlyTexts(request.query);
  const form = formOf(request.body);
  refuseUnstorable(params, query, form);
  const names = cookieNames(secure);
  const cookies = (request.cookies ?? {}) as Record<string, string | undefined>;
  const session = await readSession(deps.stores.control, cookies[names.session]);
  const kept = cookies[names.browser];
  const browser = kept !== undefined && BROWSER_FORM.test(kept) ? kept : randomBase62(43);
  const { headers, tracing } = request;
  return {
    path: request.url,
    ...{ params, query, form },
    language: consoleLanguage(cookies[names.language] ?? session?.user.locale, headers['accept-language']),
    session,
    browser,
    request_id: tracing.request_id,
    trace_id: tracing.trace_id,
    ip: clientAddress(request),
    agent: String(headers['user-agent'] ?? ''),
    origin: originOf(deps, request),
    at: request.at,
    formFields: () => fieldsOf(deps.secrets, browser, session?.id ?? null),
    formKey: '',
  };
}

/** Returns the origin of the console. In development the console answers under every name of the machine. */
function originOf({ config }: ConsoleDeps, { headers }: FastifyRequest): string {
  const { url, host } = must(config.console, 'a visit of the console');
  return host === null ? `http://${headers.host}` : url;
}

function fieldsOf(secrets: Secrets, browser: string, session_id: string | null) {
  return html`<input type="hidden" name="${FORM_FIELD}" value="${newFormToken(secrets, browser, session_id)}">`;
}

/** Keeps the parameters that were sent once. */
function onlyTexts(query: unknown): Record<string, string> {
  const entries = Object.entries((query ?? {}) as Record<string, unknown>);
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

function formOf(body: unknown): Visit['form'] {
  if (typeof body !== 'object' || body === null) return {};
  const isField = (value: unknown) =>
    typeof value === 'string' || (Array.isArray(value) && value.every((one) => typeof one === 'string'));
  return Object.fromEntries(Object.entries(body).filter(([, value]) => isField(value))) as Visit['form'];
}

/** Rejects text that PostgreSQL cannot store, which would make pages fail that store or search it. @throws Problem 400 */
function refuseUnstorable(...given: readonly Visit['form'][]): void {
  const texts = given.flatMap((fields) => Object.values(fields).flat());
  if (texts.some((text) => textFault(text) !== null)) throw new Problem(400, 'The request is malformed.');
}

/** Returns whether the person presented a factor within the last minutes. */
export function isFresh({ session, at }: PersonVisit): boolean {
  return at - session.proved_at <= FRESH_MS;
}

/**
 * Returns the visit of a member in the team and environment that the path names.
 * @throws Problem 404 when the person is not in this team, so that the teams of others cannot be discovered
 */
export async function teamVisit(deps: ConsoleDeps, operations: Operations, visit: PersonVisit): Promise<TeamVisit> {
  const { team: named = '', environment } = visit.params;
  const membership = visit.session.memberships.find(({ team_id }) => String(team_id) === named);
  if (!membership || !isEnvironment(environment)) throw notFound();
  const { role, team_id } = membership;
  const { control } = deps.stores;
  const { user, id: session_id } = visit.session;
  const decides = isPermitted(role, 'approval.write', environment);
  const [found, waiting] = await Promise.all([
    findTeam(control, team_id),
    decides ? listWaiting(control, team_id, environment, MAX_WAITING) : [],
  ]);
  const team = must(found, 'a membership refers to a team');
  const store = deps.stores[environment].of(team.id);
  const caller = { team, store, key_id: user.id, session_id, kind: 'secret' as const, scopes: scopesOf(role, environment) };
  const inTeam: TeamVisit = {
    ...visit,
    ...{ team, environment, membership, role, store, waiting: 0 },
    base: `/console/${team.id}/${environment}`,
    can: (permission) => isPermitted(role, permission, environment),
    api: (operation, sent = {}) => operations.call(operation, caller, inTeam, sent),
    check: (operation, body) => operations.check(operation, caller, body),
    stillMay: async (permission) => {
      const now = await roleInSession(control, session_id, team_id);
      if (now === undefined || !isPermitted(now, permission, environment)) refuseRole();
    },
    approvals: { control, secrets: deps.secrets },
  };
  inTeam.waiting = Math.min(waiting.filter((row) => mayDecide(inTeam, row)).length, MAX_SHOWN_WAITING);
  return inTeam;
}

/** Rejects an action that the role does not permit. @throws Problem 403 always */
export function refuseRole(): never {
  throw new Problem(403, 'Your role does not permit this.');
}
