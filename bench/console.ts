import { newId } from '../src/kit/ids.ts';
import { openSession } from '../src/tenants/people/sessions.ts';
import { insertMembership, insertUser } from '../src/tenants/people/store.ts';
import type { Team } from '../src/tenants/teams/schema.ts';
import { fillEnded } from './console-fill.ts';
import { type CpuReading, readCpu, treeCpu } from './cpu.ts';
import { loadPoint } from './load-point.ts';
import type { Options } from './options.ts';
import type { Point, Section } from './rounds.ts';
import { fillSearched } from './search-fill.ts';
import { untilIndexed } from './search.ts';
import { type Service, startService } from './service.ts';
import type { Stage } from './stage.ts';
import { makeTeam } from './teams.ts';

const SMALL_ROWS = 1_000;
const QUICK_ROWS = 2_000;
const LOOK_MS = 250;
const MAX_COUNT_MS = 3_600_000;
const MAX_EXPORTED = 1_000_000;
const NEW_LINE = 10;

/** Paths after the team and the environment. The names in braces lead to rows that are a month old. */
const PAGES = [
  ['home', 'home', ''],
  ['home-90', 'home, 90 days', '?days=90'],
  ['payments', 'payments', '/payments'],
  ['filtered', 'payments, by status and channel', '/payments?status=succeeded&channel=cm.mtn'],
  ['found', 'payments, searched', '/payments?search=fatou+diop'],
  ['middle', 'payments, cursor in the middle', '/payments?date_to={day}&cursor={cursor}'],
  ['payment', 'one payment', '/payments/{id}'],
  ['balance', 'balance', '/balance'],
  ['day', 'one day of the statement', '/balance/{day}'],
  ['events', 'events', '/developers/events'],
  ['event', 'one event', '/developers/events/{event}'],
  ['requests', 'request log', '/developers/requests'],
] as const;

interface Filled {
  team: Team;
  key: string;
  rows: number;
  /** Payments with an event and a journal. */
  ended: number;
}

interface Shop extends Filled {
  cookie: string;
  /** Values of the names in `PAGES`. */
  named: Record<string, string>;
}

/** Pages of the console of a small and a large team, one at a time, and an export. */
export async function consoleSection(stage: Stage, options: Options): Promise<Section> {
  const small = await fillShop(stage, SMALL_ROWS);
  const large = await fillShop(stage, options.quick ? QUICK_ROWS : options.large_rows);
  // Its workers begin to add up as soon as it has started.
  const service = await startService(stage, { name: 'console', profile_dir: options.profile_dir });
  const counted = await untilCounted(stage, service, [small, large]);
  // Not beside the pages: it takes half a minute for each million payments.
  await untilIndexed(stage, service, large.team);
  // Else autovacuum would do this beside the first pages, for minutes after 10,000,000 rows.
  await stage.live.query('vacuum (analyze)');
  const shops = [
    { size: 'small', shop: await openShop(stage, service, small) },
    { size: 'large', shop: await openShop(stage, service, large) },
  ] as const;
  const points = PAGES.flatMap(([id, label, path]) =>
    shops.map(
      ({ size, shop }): Point =>
        loadPoint(stage, options, {
          id: `${id}-${size}`,
          label: `${label}, ${shop.rows.toLocaleString('en')} payments`,
          service,
          connections: 1,
          requests: [requestOf(shop, path)],
          prepare: async () => {},
        }),
    ),
  );
  const notes = async () => [counted, await exported(stage, service, shops[1].shop)];
  return { name: 'console', points, comparisons: [], notes, close: () => service.stop() };
}

async function fillShop(stage: Stage, rows: number): Promise<Filled> {
  const {
    team,
    keys: [key = ''],
  } = await makeTeam(stage.control, 'live', 1);
  await fillSearched(stage.live, team, rows);
  return { team, key, rows, ended: await fillEnded(stage.live, team) };
}

async function openShop(stage: Stage, service: Service, filled: Filled): Promise<Shop> {
  const id = newId('usr', 'live', Date.now());
  const person = { id, email: `${id}@shop.example`, name: 'Benchmark', password: null, locale: null, operator: false };
  await insertUser(stage.control, person);
  await insertMembership(stage.control, filled.team.id, id, 'owner');
  const { cookie } = await openSession(stage.control, id, { address: '127.0.0.1', agent: 'benchmark' }, Date.now());
  return { ...filled, cookie: `pirogue_session=${cookie}`, named: await namesIn(stage, service, filled) };
}

async function namesIn({ live }: Stage, service: Service, { team, key }: Filled): Promise<Record<string, string>> {
  const one = async (table: string) => {
    const { rows } = await live.query<{ id: string; day: string }>(
      `select id, to_char(created_at at time zone 'UTC', 'YYYY-MM-DD') as day from ${table}
      where team_id = $1 and created_at > now() - interval '30 days' order by id limit 1`,
      [team.id],
    );
    return rows[0] ?? { id: '', day: '' };
  };
  const [payment, event] = [await one('payments'), await one('events')];
  const answer = await fetch(`http://127.0.0.1:${service.port}/payments?cursor=&date_to=${payment.day}`, {
    headers: { authorization: key },
  });
  const { meta } = (await answer.json()) as { meta?: { next_cursor?: string } };
  if (!meta?.next_cursor) throw new Error(`the list of payments before ${payment.day} says ${JSON.stringify(meta)}`);
  return { id: payment.id, event: event.id, day: payment.day, cursor: meta.next_cursor };
}

/** Waits until the workers have added up the hours and the days of the teams. @returns what it took */
async function untilCounted({ live, server }: Stage, service: Service, shops: readonly Filled[]): Promise<string> {
  const before = readCpu();
  const deadline = performance.now() + MAX_COUNT_MS;
  for (;;) {
    const { rows } = await live.query<{ done: boolean }>(
      `select bool_and(coalesce((select final_to > now() - interval '2 hours' from payment_counts c where c.team_id = t.id), false)
        and coalesce((select subaccounts_counted_to > (select max(j.id) from journals j where j.team_id = t.id)
          from balance_day_counts c where c.team_id = t.id), false)) as done
      from unnest($1::bigint[]) as t (id)`,
      [shops.map(({ team }) => team.id)],
    );
    if (rows[0]?.done) break;
    if (performance.now() > deadline) throw new Error('the hours and days were not added up');
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  const ended = shops.reduce((sum, shop) => sum + shop.ended, 0);
  const cpu = cpuBetween(before, readCpu(), ended);
  return (
    `Adding up the hours and the days of ${ended.toLocaleString('en')} payments that had ended took ${cpu(service.pid)} of CPU a payment ` +
    `in the service, with all of its other workers, and ${cpu(server.pid)} in PostgreSQL.`
  );
}

/** @returns a function that says what each of `count` took a process and its descendants */
function cpuBetween(before: CpuReading | null, after: CpuReading | null, count: number): (pid: number) => string {
  if (!before || !after) return () => 'an unknown time';
  return (pid) => `${(((treeCpu(after, pid) - treeCpu(before, pid)) * 1e6) / count).toFixed(1)} µs`;
}

/** Downloads the export of all payments, up to a million. @returns what it took */
async function exported(stage: Stage, service: Service, shop: Shop): Promise<string> {
  const [before, since] = [readCpu(), performance.now()];
  const aborted = new AbortController();
  const answer = await fetch(`http://127.0.0.1:${service.port}${baseOf(shop)}/payments/export`, {
    headers: { cookie: shop.cookie },
    signal: aborted.signal,
  });
  if (!answer.ok || !answer.body) throw new Error(`the export was answered with ${answer.status}`);
  let lines = -1; // the names of the columns
  let bytes = 0;
  for await (const chunk of answer.body) {
    bytes += chunk.length;
    for (const byte of chunk) if (byte === NEW_LINE) lines++;
    if (lines >= MAX_EXPORTED) break;
  }
  aborted.abort();
  const seconds = (performance.now() - since) / 1000;
  if (lines < Math.min(shop.rows, MAX_EXPORTED)) throw new Error(`the export has ${lines} of ${shop.rows} payments`);
  const cpu = cpuBetween(before, readCpu(), lines);
  return (
    `An export of ${lines.toLocaleString('en')} payments (${Math.round(bytes / 1e6)} MB) took ${seconds.toFixed(0)} s: a payment took ` +
    `${cpu(service.pid)} of CPU in the service and ${cpu(stage.server.pid)} in PostgreSQL.`
  );
}

function requestOf(shop: Shop, path: string): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(shop.named[name] ?? ''));
  return [`GET ${baseOf(shop)}${filled} HTTP/1.1`, 'Host: 127.0.0.1', `Cookie: ${shop.cookie}`, '', ''].join('\r\n');
}

function baseOf({ team }: Shop): string {
  return `/console/${team.id}/live`;
}
