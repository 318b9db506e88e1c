import type { Ports, SinkJob } from './child/sink.ts';
import { type CpuReading, readCpu, treeCpu } from './cpu.ts';
import { Helper } from './helper.ts';
import { merchant, payAll, settled, WRITTEN } from './lives.ts';
import type { Options } from './options.ts';
import { median } from './report.ts';
import type { Point, Section } from './rounds.ts';
import { type Service, startService } from './service.ts';
import { clear, type Stage } from './stage.ts';

/** Payments for each second of a window, enough for two cores. */
const PAYMENTS_PER_SECOND = 250;
const AT_ONCE = 64;
/** A smoke run reports no figures. */
const QUICK_PAYMENTS = 8;
const PROCESSES = [1, 2, 4] as const;
const PACES = [10, 100] as const;
const DAY_S = 86_400;

/** What the installation has used so far. */
interface Usage {
  at_ms: number;
  cpu: CpuReading | null;
  /** Transaction ids given out, those of subtransactions included. */
  ids: number;
  /** Transactions that ended, those that only read included. */
  transactions: number;
  wal_bytes: number;
}

/** What a window used, for each second. */
interface Used {
  lives: number;
  service_ms: number;
  postgres_ms: number;
  ids: number;
  transactions: number;
  wal_bytes: number;
  connections: number;
}

/** Whole lives of payments over 1, 2 and 4 processes at full load, and over one at fixed rates: what they take of the machine. */
export async function sizingSection(stage: Stage, options: Options, { pid }: Service): Promise<Section> {
  const sink = new Helper<SinkJob, Ports>('sink', stage.folder);
  const taken = new Map<string, Used[]>();
  const pointOf = (id: string, label: string, processes: number, pace: number | null): Point => {
    let services: Service[] = [];
    let key = '';
    return {
      ...{ id, label, service_pid: pid, client_pid: sink.pid },
      prepare: async () => {
        await clear(stage.sandbox, [...WRITTEN, 'webhook_endpoints']);
        key = await merchant(stage, sink, 1);
        services = await Promise.all(
          Array.from({ length: processes }, (_, i) => startService(stage, { name: `${id}-${i}`, profile_dir: null })),
        );
      },
      run: async (started) => {
        const wanted = Math.max(AT_ONCE, Math.ceil(options.seconds * (pace ?? PAYMENTS_PER_SECOND)));
        const count = options.quick ? QUICK_PAYMENTS : wanted;
        const before = await usageOf(stage);
        started();
        if (pace === null) await share(services, key, count);
        else await pacedAt(services[0] as Service, key, count, pace);
        const connections = await connectionsOf(stage);
        await settled(stage, count);
        const used = usedBetween(before, await usageOf(stage), count, services, stage.server.pid);
        taken.set(id, [...(taken.get(id) ?? []), { ...used, connections }]);
        return { requests: count, seconds: count / used.lives, p50_ms: null, p99_ms: null };
      },
      finish: async () => {
        await sink.run({ kind: 'hang_up' }, 10_000);
        await Promise.all(services.map((service) => service.stop()));
      },
    };
  };
  // A smoke run starts two services instead of nine.
  const [counts, paces] = options.quick ? [PROCESSES.slice(0, 1), PACES.slice(0, 1)] : [PROCESSES, PACES];
  return {
    name: 'sizing',
    points: [
      ...counts.map((n) => pointOf(`processes-${n}`, `as fast as possible, processes: ${n}`, n, null)),
      ...paces.map((pace) => pointOf(`pace-${pace}`, `${pace} payments a second, one process`, 1, pace)),
    ],
    comparisons: counts.slice(1).map((n) => ({
      point: `processes-${n}`,
      baseline: 'processes-1',
      metric: 'per_second' as const,
    })),
    notes: async () => [...taken].map(([id, samples]) => noteOf(id, samples)),
    close: async () => {
      await sink.stop();
      await clear(stage.sandbox, [...WRITTEN, 'webhook_endpoints']);
    },
  };
}

/** Divides payments among the processes as a balancer would. */
async function share(services: readonly Service[], key: string, count: number): Promise<void> {
  const each = Math.ceil(count / services.length);
  await Promise.all(
    services.map((service, i) => {
      const from = i * each;
      const at_once = AT_ONCE / services.length;
      return payAll(service, key, { from, count: Math.min(each, count - from), at_once, charged: true });
    }),
  );
}

async function pacedAt(service: Service, key: string, count: number, pace: number): Promise<void> {
  const began = performance.now();
  const paid: Promise<void>[] = [];
  for (let i = 0; i < count; i++) {
    const wait = began + (i * 1000) / pace - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    paid.push(payAll(service, key, { from: i, count: 1, at_once: 1, charged: true }));
  }
  await Promise.all(paid);
}

async function usageOf({ sandbox }: Stage): Promise<Usage> {
  // Statistics of a connection are shown at the latest a second after its last statement.
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const { rows } = await sandbox.query(`
    select pg_snapshot_xmax(pg_current_snapshot())::text::float8 as ids, pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as wal_bytes,
      (select sum(xact_commit + xact_rollback)::float8 from pg_stat_database) as transactions`);
  return { at_ms: performance.now(), cpu: readCpu(), ...rows[0] };
}

async function connectionsOf({ sandbox }: Stage): Promise<number> {
  const { rows } = await sandbox.query(`
    select count(*)::integer as count from pg_stat_activity where usename is not null and pid <> pg_backend_pid() and application_name <> 'bench'`);
  return rows[0].count;
}

function usedBetween(
  a: Usage,
  b: Usage,
  count: number,
  services: readonly Service[],
  postgres_pid: number,
): Omit<Used, 'connections'> {
  const seconds = (b.at_ms - a.at_ms) / 1000;
  const cpu_ms = (pid: number) => (a.cpu && b.cpu ? (treeCpu(b.cpu, pid) - treeCpu(a.cpu, pid)) * 1000 : 0);
  return {
    lives: count / seconds,
    service_ms: services.reduce((sum, { pid }) => sum + cpu_ms(pid), 0) / seconds,
    postgres_ms: cpu_ms(postgres_pid) / seconds,
    ids: (b.ids - a.ids) / seconds,
    transactions: (b.transactions - a.transactions) / seconds,
    wal_bytes: (b.wal_bytes - a.wal_bytes) / seconds,
  };
}

function noteOf(id: string, samples: readonly Used[]): string {
  const of = (name: keyof Used) => median(samples.map((used) => used[name])) ?? 0;
  const lives = of('lives');
  const each = (name: keyof Used, digits: number) => (of(name) / lives).toFixed(digits);
  return (
    `${id}: ${lives.toFixed(0)} lives a second; a second takes ${of('service_ms').toFixed(0)} ms of CPU of the service, ` +
    `${of('postgres_ms').toFixed(0)} ms of PostgreSQL; a life takes ${each('ids', 1)} transaction ids, ${each('transactions', 1)} transactions, ` +
    `${(of('wal_bytes') / lives / 1024).toFixed(1)} kB of WAL (${((of('wal_bytes') * DAY_S) / 2 ** 30).toFixed(1)} GiB a day); ` +
    `${of('connections')} connections.`
  );
}
