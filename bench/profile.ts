import fs from 'node:fs';
import path from 'node:path';
import type { Stage } from './stage.ts';

const SHOWN = 40;

interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number }; children?: number[] }[];
  samples: number[];
  timeDeltas: number[];
}

/** Says which functions the service spent its time in, itself and with what it called. */
export async function printProfiles(folder: string): Promise<void> {
  for (const name of fs.readdirSync(folder).filter((file) => file.endsWith('.cpuprofile'))) {
    const profile = JSON.parse(fs.readFileSync(path.join(folder, name), 'utf8')) as CpuProfile;
    console.log(`\n${name}: share of the time that was not idle, self and total\n`);
    const { self, total, busy } = timesOf(profile);
    const share = (time = 0) => `${((time / busy) * 100).toFixed(1)} %`.padStart(7);
    const shown = [...self].sort(([, a], [, b]) => b - a).slice(0, SHOWN);
    for (const [place, time] of shown) console.log(`${share(time)} ${share(total.get(place))}  ${place}`);
    console.log('\nby total:\n');
    for (const [place, time] of [...total].sort(([, a], [, b]) => b - a).slice(0, SHOWN * 2)) {
      console.log(`${share(self.get(place))} ${share(time)}  ${place}`);
    }
  }
}

function timesOf(profile: CpuProfile) {
  const own = new Map<number, number>();
  for (const [i, id] of profile.samples.entries()) own.set(id, (own.get(id) ?? 0) + (profile.timeDeltas[i] ?? 0));
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const [self, total] = [new Map<string, number>(), new Map<string, number>()];
  const add = (times: Map<string, number>, place: string, time: number) => times.set(place, (times.get(place) ?? 0) + time);
  /** A function that calls itself is counted once: `above` holds the places already on the way down. */
  const walk = (id: number, above: ReadonlySet<string>): number => {
    const node = nodes.get(id) as CpuProfile['nodes'][number];
    const place = placeOf(node);
    const below = new Set(above).add(place);
    const mine = own.get(id) ?? 0;
    const time = (node.children ?? []).reduce((sum, child) => sum + walk(child, below), mine);
    add(self, place, mine);
    if (!above.has(place)) add(total, place, time);
    return time;
  };
  const root = profile.nodes[0] as CpuProfile['nodes'][number];
  const whole = walk(root.id, new Set());
  const idle = self.get('(idle)') ?? 0;
  for (const place of ['(idle)', '(root)']) {
    self.delete(place);
    total.delete(place);
  }
  return { self, total, busy: whole - idle };
}

function placeOf({ callFrame: { functionName, url, lineNumber } }: CpuProfile['nodes'][number]): string {
  const file = url.replace(/^file:\/\//, '').replace(/^.*?\/(src|node_modules)\//, '$1/');
  return file === '' ? functionName : `${functionName || '(anonymous)'} ${file}:${lineNumber + 1}`;
}

/** The statements that cost PostgreSQL most, of both stores. */
export async function printStatements(stage: Stage): Promise<void> {
  for (const [name, client] of [
    ['sandbox', stage.sandbox],
    ['live', stage.live],
  ] as const) {
    const { rows } = await client.query(`
      select round(s.total_exec_time) as exec_ms, round(s.total_plan_time) as plan_ms, s.calls, round((s.mean_exec_time * 1000)::numeric) as mean_us,
        left(regexp_replace(s.query, '\\s+', ' ', 'g'), 90) as query
      from pg_stat_statements s join pg_database d on d.oid = s.dbid and d.datname = current_database()
      order by s.total_exec_time + s.total_plan_time desc limit 15`);
    console.log(`\n${name}: statements by time\n`);
    console.table(rows);
  }
  await stage.sandbox.query('select pg_stat_statements_reset()');
}
