import { makeDue } from '../src/platform/search/build-store.ts';
import { DEFAULT_BUILD } from '../src/platform/search/sweep.ts';
import { openPool } from '../src/platform/db/pool.ts';
import { createLog } from '../src/kit/log.ts';
import type { Team } from '../src/tenants/teams/schema.ts';
import { readCpu, treeCpu } from './cpu.ts';
import { loadPoint } from './load-point.ts';
import type { Options } from './options.ts';
import type { Section } from './rounds.ts';
import { fillSearched } from './search-fill.ts';
import type { Service } from './service.ts';
import type { Stage } from './stage.ts';
import { makeTeam } from './teams.ts';

const SMALL_ROWS = 1_000;
/** A smoke run has one segment. */
const QUICK_ROWS = 20_000;
const LOOK_MS = 250;
const MAX_BUILD_MS = 7_200_000;

/** Texts by how often they are found; those of one kind are searched in turn. */
const SEARCHES = [
  ['one', 'in one payment', ['INV-2026-00000501', 'INV-2026-00000499', 'INV-2026-00000777', 'INV-2026-00000333']],
  ['none', 'in none', ['nobody', 'zzzzzz', '+99900', 'order-x']],
  ['none-short', 'two characters that occur nowhere', ['~~', '{}', '#!', '=:']],
  ['some', 'in 0.6 %', ['awa ndiaye', 'Jean Mbarga', 'fatou diop', 'Chloé Étienne']],
  ['many', 'in a quarter', ['@gmail.com', 'yahoo.fr', 'shop.example', 'orange.cm']],
  ['all', 'one character', ['e', 'a', 'o', '7']],
] as const;

/** GET /payments?search= of a small and a large team, one request at a time. */
export async function searchSection(stage: Stage, options: Options, service: Service): Promise<Section> {
  const small = await makeTeam(stage.control, 'live', 1);
  const large = await makeTeam(stage.control, 'live', 1);
  const rows = options.quick ? QUICK_ROWS : options.large_rows;
  await fillSearched(stage.live, small.team, SMALL_ROWS);
  await fillSearched(stage.live, large.team, rows);
  const built = await untilIndexed(stage, service, large.team);
  const points = SEARCHES.flatMap(([id, label, texts]) =>
    [
      { name: 'small', count: SMALL_ROWS, ...small },
      { name: 'large', count: rows, ...large },
    ].map(({ name, count, keys: [key = ''] }) =>
      loadPoint(stage, options, {
        id: `${id}-${name}`,
        label: `${label}, ${count.toLocaleString('en')} rows`,
        service,
        connections: 1,
        requests: texts.map((text) => request(`/payments?cursor=&search=${encodeURIComponent(text)}`, key)),
        prepare: async () => {},
      }),
    ),
  );
  return { name: 'search', points, comparisons: [], notes: async () => [built], close: async () => {} };
}

/** Waits until the workers of the service have built the index of a team. @returns what it took */
export async function untilIndexed(stage: Stage, service: Service, team: Team): Promise<string> {
  const pool = openPool({ url: stage.urls.live, size: 1, log: createLog({ level: 'warn', format: 'json' }) });
  const before = readCpu();
  const deadline = performance.now() + MAX_BUILD_MS;
  await makeDue(pool, { team_id: team.id, kind: 'payments' });
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    const { rows } = await stage.live.query<{ due: boolean; uncovered: number }>(
      `select due_at is not null as due, (select count(*)::integer from (select 1 from payments where team_id = $1 and id > coalesce(
        (select max(last_id) from search_segments where team_id = $1), '') limit ${DEFAULT_BUILD.segment_rows}) p) as uncovered
      from search_builds where team_id = $1`,
      [team.id],
    );
    if (rows[0] && !rows[0].due && rows[0].uncovered < DEFAULT_BUILD.segment_rows) break;
    if (performance.now() > deadline) throw new Error('the index was not built');
  }
  const after = readCpu();
  await pool.close();
  const { rows } = await stage.live.query<{ covered: number; segments: number; bytes: number }>(
    `select coalesce(sum(row_count), 0)::integer as covered, count(*)::integer as segments, (select sum(pg_total_relation_size(name::regclass))
      from unnest(array['search_segments', 'search_postings']) name)::float8 as bytes from search_segments`,
  );
  await stage.live.query('vacuum (analyze) search_segments, search_postings');
  const { covered, segments, bytes } = rows[0] ?? { covered: 0, segments: 0, bytes: 0 };
  const cpu = (pid: number) =>
    before && after ? `${(((treeCpu(after, pid) - treeCpu(before, pid)) * 1e6) / covered).toFixed(1)} µs` : 'unknown';
  return (
    `The index of ${covered.toLocaleString('en')} payments has ${segments} segments and takes ${Math.round(bytes / covered)} bytes a payment. ` +
    `Building it took ${cpu(service.pid)} of CPU a payment in the service, with all of its other workers, and ${cpu(stage.server.pid)} in PostgreSQL.`
  );
}

function request(path: string, key: string): string {
  return [`GET ${path} HTTP/1.1`, 'Host: 127.0.0.1', `Authorization: ${key}`, '', ''].join('\r\n');
}
