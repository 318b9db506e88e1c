import { namesOfMembers } from '../../../../../tenants/people/names-store.ts';
import { REQUESTS_KEEP_MS, type RequestRow } from '../../../../../tenants/request-log/schema.ts';
import { listRequests, type RequestPage } from '../../../../../tenants/request-log/service.ts';
import { fullDays, type RequestFilter } from '../../../../../tenants/request-log/store.ts';
import { type Html, html } from '../../../../../kit/html.ts';
import type { ConsoleDeps } from '../../../deps.ts';
import type { Answer, TeamVisit } from '../../../page.ts';
import { filterForm } from '../../../parts/filters.ts';
import { dayText, exactMoment, number } from '../../../parts/format.ts';
import { type Fault, faultOf } from '../../../parts/fault.ts';
import { pager } from '../../../parts/pager.ts';
import { alert, badge, type Column, empty, field, idText, select, shortId, table, type Tone } from '../../../parts/parts.ts';
import { withQuery } from '../../../paths.ts';
import { developersHead, tabName } from '../tabs.ts';
import { REQUEST_TEXTS } from './texts.ts';

const FILTERS = ['result', 'method', 'day', 'caller', 'request_id'] as const;

/** Statuses of each choice of the filter by result. */
const RESULTS = {
  failed: [400, 599],
  '2xx': [200, 299],
  '4xx': [400, 499],
  '5xx': [500, 599],
} as const;

const METHODS = ['POST', 'GET', 'DELETE', 'PUT', 'PATCH'];

/** Maximum shown characters of a request id that a caller chose. */
const MAX_SHOWN = 18;
const LONG_ID = /[a-z]+_(?:test_)?[0-9a-z]{26}/;

type Names = ReadonlyMap<string, string>;

/** Shows the requests of the last seven days. Filters and position are in the address. */
export async function showRequests(deps: ConsoleDeps, visit: TeamVisit): Promise<Answer> {
  const found = await find(deps, visit);
  return {
    kind: 'page',
    title: tabName(visit, 'requests'),
    nav: '/developers',
    body: html`${developersHead(visit, 'requests')}${await notes(deps, visit)}${filters(visit, 'errors' in found ? found.errors : {})}${
      'items' in found ? results(visit, found, await namesOf(deps, visit, found.items)) : alert(found.message)
    }`,
  };
}

async function find(deps: ConsoleDeps, visit: TeamVisit): Promise<RequestPage | Fault> {
  const { query, store, team, at } = visit;
  try {
    const wanted = { ...filterOf(query), day: query.day || undefined, cursor: query.cursor ?? '' };
    return await listRequests(deps, store, team.id, wanted, at);
  } catch (error) {
    return faultOf(visit, error);
  }
}

function filterOf({ result = '', method, caller, request_id }: Record<string, string>): RequestFilter {
  const [status_from, status_to] = Object.hasOwn(RESULTS, result) ? RESULTS[result as keyof typeof RESULTS] : [];
  const given = (text: string | undefined) => text?.trim() || undefined;
  return { status_from, status_to, method: given(method), caller: given(caller), request_id: given(request_id) };
}

/** Notices about missing requests: all when the log is off, and those beyond the maximum of a day. */
async function notes({ config }: ConsoleDeps, { language, store, team, at }: TeamVisit): Promise<Html> {
  const texts = REQUEST_TEXTS[language];
  const { requests_per_day } = config;
  if (requests_per_day === null) return alert(texts.off, 'info');
  const days = await fullDays(store.db, team.id, new Date(at - REQUESTS_KEEP_MS), requests_per_day);
  const shown = days.map((day) => dayText(day, language));
  return alert(days.length > 0 && texts.full(number(requests_per_day, language), shown.join(', ')), 'info');
}

function filters(visit: TeamVisit, errors: Fault['errors']): Html {
  const { language, query } = visit;
  const texts = REQUEST_TEXTS[language];
  const common = (name: (typeof FILTERS)[number]) => ({ name, value: query[name], error: errors[name]?.[0] });
  const results = (Object.keys(RESULTS) as (keyof typeof RESULTS)[]).map((name) => [name, texts.results[name]] as const);
  const fields = html`${select({ ...common('result'), label: texts.result }, [['', texts.anyResult], ...results])}
${select({ ...common('method'), label: texts.method }, [['', texts.anyMethod], ...METHODS.map((one) => [one, one] as const)])}
${field({ ...common('day'), label: texts.day, type: 'date' })}
${field({ ...common('caller'), label: texts.callerFilter, placeholder: 'key_…', maxlength: 64 })}
${field({ ...common('request_id'), label: texts.requestId, maxlength: 64 })}`;
  return filterForm(visit, '/developers/requests', FILTERS, fields);
}

/** Returns the names of the members among the callers, by id. */
async function namesOf({ stores }: ConsoleDeps, { team }: TeamVisit, items: readonly RequestRow[]): Promise<Names> {
  const people = [...new Set(items.map(({ caller }) => caller).filter((id) => id.startsWith('usr_')))];
  return people.length === 0 ? new Map() : namesOfMembers(stores.control, team.id, people);
}

function results(visit: TeamVisit, { items, meta, searched_to }: RequestPage, names: Names): Html {
  const texts = REQUEST_TEXTS[visit.language];
  const pages = pager(visit, `${visit.base}/developers/requests`, meta);
  const partly = searched_to !== null && html`<p class="note">${texts.partly}</p>`;
  if (items.length === 0) {
    const filtered = FILTERS.some((name) => visit.query[name]) || visit.query.cursor;
    return html`${filtered ? empty(texts.noneFound, partly || texts.noneFoundText) : empty(texts.none, texts.noneText)}${pages}`;
  }
  return html`${table(tabName(visit, 'requests'), columns(visit, names), items)}${partly}${pages}`;
}

function columns(visit: TeamVisit, names: Names): Column<RequestRow>[] {
  const { language } = visit;
  const texts = REQUEST_TEXTS[language];
  return [
    { head: texts.request, kind: 'main', cell: ({ method, path }) => html`<code>${method}</code> ${linkedPath(visit, path)}` },
    {
      head: texts.result,
      cell: ({ status, error_code }) =>
        html`<div>${badge(String(status), toneOf(status))}${error_code && html`<div class="note"><code>${error_code}</code></div>`}</div>`,
    },
    { head: texts.time, kind: 'number', cell: ({ duration_ms }) => `${number(duration_ms, language)} ms` },
    { head: texts.caller, cell: ({ caller }) => names.get(caller) ?? shortId(caller, callerPage(visit, caller)) },
    { head: texts.requestId, cell: ({ request_id }) => requestId(request_id) },
    {
      head: texts.at,
      cell: ({ created_at }) => html`<time datetime="${created_at.toISOString()}">${exactMoment(created_at, language)}</time>`,
    },
  ];
}

/** The path with shortened ids, as a link to the page of its object. */
function linkedPath({ base }: TeamVisit, path: string): Html {
  const id = LONG_ID.exec(path)?.[0];
  const shown = html`<code>${path.replace(LONG_ID, (long) => `${long.split('_', 1)[0]}…${long.slice(-6)}`)}</code>`;
  return id === undefined ? shown : html`<a href="${withQuery(`${base}/search`, { q: id })}" title="${path}">${shown}</a>`;
}

function callerPage({ base, can }: TeamVisit, caller: string): string | undefined {
  return caller.startsWith('key_') && can('key.read') ? `${base}/developers/keys/${caller}` : undefined;
}

/** The end of a long id, which is enough to distinguish the rows of a page. Copying copies the whole id. */
function requestId(id: string): Html {
  if (LONG_ID.test(id)) return shortId(id);
  if (id.length <= MAX_SHOWN) return idText(id);
  return html`<span class="id short" data-copy="${id}" title="${id}"><code>…${id.slice(-MAX_SHOWN)}</code></span>`;
}

function toneOf(status: number): Tone {
  if (status >= 500) return 'bad';
  if (status >= 400) return 'warn';
  return status < 300 ? 'good' : 'idle';
}
