import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ConsolePage } from '../../src/edge/console/page.ts';
import { consolePagesOf } from '../../src/edge/console/pages.ts';
import type { Sql } from '../../src/kit/sql.ts';
import { type DbPool, openPool } from '../../src/platform/db/pool.ts';
import { createLog } from '../../src/kit/log.ts';
import { sweepsOf } from '../../src/program/program.ts';
import { type Person, signedIn } from '../console/people.ts';
import { addUpDays } from '../ledger/books.ts';
import { type Api, startApi } from '../setup/api.ts';
import { fillDetail } from './detail.ts';
import { Shelf } from './rows.ts';
import { visitsOf } from './visits.ts';

/**
 * Rows that a statement of a page or a count may read, however many the team has: a thousand deliveries by which the progress of a range is
 * measured; a hundred lines of an export, each with its journal.
 */
const BOUND = 1_200;
const ROWS = 20_000;
const MAX_ROUNDS = 400;

/** Tables of the rows that pages of one row show, by their path. */
const ROW_OF: Record<string, string> = {
  '/payments/:id': 'payments',
  '/customers/:id': 'customers',
  '/payouts/:id': 'transfers',
  '/payouts/beneficiaries/:id': 'beneficiaries',
  '/invoices/:id': 'invoices',
  '/links/:id': 'links',
  '/disputes/:id': 'disputes',
  '/subaccounts/:id': 'accounts',
  '/developers/events/:id': 'events',
  '/developers/endpoints/:id': 'webhook_endpoints',
};

/** Pages of what people do, of which a team has few: they read the control database. */
const OF_CONTROL = /^\/(approvals|people|developers\/keys|settings)/;

/** Pages that show nothing here, with the reason. */
const NOT_SHOWN: Record<string, string> = {
  '/developers': 'leads to the endpoints',
  '/search': 'leads to what was searched',
  '/payments/:id/events/:event': 'shows the event as /developers/events/:id does',
  '/payouts/bulk/:batch': 'has at most 500 lines',
  '/invoices/:id/edit': 'of drafts only',
  '/disputes/:id/accept': 'of open disputes only',
};

/** Text of these rows on the pages that show details. Statements of a page that shows no rows would prove nothing. */
const SHOWN: Record<string, RegExp> = {
  '/payments/:id': /Exchanges with pawapay.*Callback from pawapay/s,
  '/payouts/:id': /Exchanges with pawapay.*Callback from pawapay/s,
  '/subaccounts/:id/balance': /subaccounts\/acct_\w+\/balance\/\d{4}-/,
  '/subaccounts/:id/balance/:day': /payments\/trx_/,
  '/developers/requests': /POST.*\/payments/s,
  '/developers/endpoints/:id': /\d of 10,000 sent\./,
};

let api: Api;
let owner: DbPool;
let person: Person;
let sent: Sql[] = [];

before(async () => {
  const listen = (statement: Sql) => {
    sent.push(statement);
    return null;
  };
  api = await startApi({ workers: false, watch: (database) => (database === 'live' ? listen : undefined) });
  const log = createLog({ level: 'silent', format: 'json' });
  owner = openPool({ url: api.databases.live, size: 1, log, statement_ms: 120_000 });
  const small = await api.newMerchant();
  await new Shelf(owner, small.team.id, 30).fill();
  await new Shelf(owner, api.team.id, ROWS).fill();
  await fillDetail(owner, api.team.id, ROWS);
  // What adds up for home and the statement; without it, pages read what is not added up.
  const figures = sweepsOf(api.deps, api.deps.stores.live).find(({ name }) => name === 'figures');
  assert.ok(figures);
  for (let rounds = 0; (await figures.round()) > 0; rounds++) assert.ok(rounds < MAX_ROUNDS, 'figures come to an end');
  for (const { id } of [small.team, api.team]) await addUpDays(api.deps.stores.live.of(id).db, id);
  await owner.run({ text: 'vacuum analyze', values: [] });
  person = await signedIn(api, 'owner');
});
after(async () => {
  await owner.close();
  await api.stop();
});

type TeamPage = Extract<ConsolePage, { who: 'team' }>;

/** Returns the page's path with the id of a row in the middle of its table; null when it has none to show. */
async function pathOf({ path }: TeamPage): Promise<string | null> {
  if (!path.includes(':')) return path;
  const day = new Date(Date.now() - 40 * 86_400_000).toISOString().slice(0, 10);
  if (path === '/balance/:day') return `/balance/${day}`;
  const ofDay = path.replace('/:day', `/${day}`);
  const [shown, table] = Object.entries(ROW_OF).find(([prefix]) => path === prefix || path.startsWith(`${prefix}/`)) ?? [];
  if (!shown || !table) return null;
  const row = await owner.maybe<{ id: string }>({
    text: `select id from ${table} where team_id = $1 order by id offset ${table === 'accounts' ? 0 : 1} limit 1`,
    values: [api.team.id],
  });
  // A month that has days with movements: on the first of a month the present one may have none yet.
  const month = path === '/subaccounts/:id/balance' ? `?month=${day.slice(0, 7)}` : '';
  return row ? ofDay.replace(shown, shown.replace(':id', row.id)) + month : null;
}

const isExplainable = ({ text }: Sql) => /^\s*(select|with)\b/i.test(text);

test('no page of the console reads more rows of a large team than its bound', { timeout: 300_000 }, async () => {
  const excesses: string[] = [];
  const unseen: string[] = [];
  const explained = new Set<string>();
  for (const page of consolePagesOf(api.deps)) {
    if (page.who !== 'team' || page.method !== 'GET' || OF_CONTROL.test(page.path)) continue;
    const path = await pathOf(page);
    sent = [];
    const shown = path === null ? null : await person.get(`/console/${api.team.id}/live${path}`);
    if (shown?.status !== 200) {
      unseen.push(page.path);
      continue;
    }
    if (page.path in SHOWN) assert.match(shown.text, SHOWN[page.path] as RegExp);
    for (const statement of sent.filter(isExplainable)) {
      // An export repeats its statements for each part of the file.
      if (explained.has(page.path + statement.text)) continue;
      explained.add(page.path + statement.text);
      const { db } = api.deps.stores.live.of(api.team.id);
      const visits = await db.transaction((tx) => visitsOf(tx, statement));
      for (const { rows, plan } of visits) {
        if (rows > BOUND)
          excesses.push(`${page.path}: ${rows} rows: ${statement.text.replaceAll(/\s+/g, ' ').slice(0, 160)}: ${plan}`);
      }
    }
  }
  assert.deepEqual(excesses, []);
  assert.deepEqual(unseen.sort(), Object.keys(NOT_SHOWN).sort());
});
