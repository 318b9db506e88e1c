import type { Ports, SinkJob } from './child/sink.ts';
import { Helper } from './helper.ts';
import { merchant, payAll, payAtRate, settled, WRITTEN } from './lives.ts';
import type { Options } from './options.ts';
import { median } from './report.ts';
import type { Point, Section } from './rounds.ts';
import type { Service } from './service.ts';
import { clear, type Stage } from './stage.ts';
import { counted, type Transactions } from './transactions.ts';

/** Payments for each second of a window. With fewer, the idle rounds of the workers would weigh more than the payments. */
const PAYMENTS_PER_SECOND = 400;
const AT_ONCE = 64;
const GOAL = 250;
/** Transaction ids of a payment, under load. */
const MAX_IDS = 3;
/** A quiet shop: hardly anything arrives together. */
const PACE_PER_SECOND = 30;

interface Stretch {
  id: string;
  label: string;
  charged: boolean;
  endpoints: 0 | 1;
  /** Whether the tables are empty before. */
  fresh: boolean;
  /** Payments a second. Absent: as many as there can be. */
  rate?: number;
}

const STRETCHES: readonly Stretch[] = [
  { id: 'created', label: 'created', charged: false, endpoints: 0, fresh: true },
  { id: 'paid', label: '... charged, succeeded, booked', charged: true, endpoints: 0, fresh: true },
  { id: 'delivered', label: '... and three events delivered: a whole life', charged: true, endpoints: 1, fresh: true },
  { id: 'warm', label: 'a whole life, on tables that were in use', charged: true, endpoints: 1, fresh: false },
  {
    ...{ id: 'paced', label: `a whole life, ${PACE_PER_SECOND} a second`, charged: true, endpoints: 1, fresh: false },
    rate: PACE_PER_SECOND,
  },
];

/**
 * The whole life of a payment over the API, in CPU time of service and PostgreSQL. The stretches of a life are measured one longer
 * than the other: a stage costs what its stretch takes more than the one before.
 */
export async function lifeSection(stage: Stage, options: Options, service: Service): Promise<Section> {
  const sink = new Helper<SinkJob, Ports>('sink', stage.folder);
  const cpu = new Map<string, number[]>();
  const transactions = new Map<string, Transactions[]>();
  return {
    name: 'life',
    points: STRETCHES.map((stretch) =>
      lifePoint(stage, options, service, sink, stretch, (taken) => {
        transactions.set(stretch.id, [...(transactions.get(stretch.id) ?? []), taken]);
      }),
    ),
    comparisons: [
      { point: 'warm', baseline: 'delivered', metric: 'all_us' },
      { point: 'created', baseline: 'delivered', metric: 'all_us' },
      { point: 'paid', baseline: 'delivered', metric: 'all_us' },
    ],
    taken: (point, { service_us, postgres_us }) => {
      if (service_us === null || postgres_us === null) return;
      cpu.set(point, [...(cpu.get(point) ?? []), service_us + postgres_us]);
    },
    figures: () => figuresOf(transactions),
    notes: async () => [...notesOf(cpu), ...idNotes(figuresOf(transactions))],
    close: async () => {
      await sink.stop();
      await clear(stage.sandbox, [...WRITTEN, 'webhook_endpoints']);
    },
  };
}

function lifePoint(
  stage: Stage,
  options: Options,
  service: Service,
  sink: Helper<SinkJob, Ports>,
  { id, label, charged, endpoints, fresh, rate = undefined }: Stretch,
  take: (transactions: Transactions) => void,
): Point {
  const each_second = rate === undefined ? PAYMENTS_PER_SECOND : rate * 5;
  const count = Math.max(rate === undefined ? AT_ONCE : 10, Math.ceil(options.seconds * each_second));
  let key = '';
  let before = 0;
  return {
    id,
    label,
    service_pid: service.pid,
    client_pid: sink.pid,
    prepare: async () => {
      await clear(stage.sandbox, [...WRITTEN, 'webhook_endpoints']);
      key = await merchant(stage, sink, endpoints);
      before = 0;
      if (fresh || rate !== undefined) return;
      before = count;
      await payAll(service, key, { from: 0, count, at_once: AT_ONCE, charged });
      await settled(stage, count);
      await stage.sandbox.query('vacuum (analyze)');
    },
    run: async (started) => {
      const since = performance.now();
      started();
      const taken = await counted(stage, count, async () => {
        if (rate !== undefined) await payAtRate(service, key, count, rate);
        else await payAll(service, key, { from: before, count, at_once: AT_ONCE, charged });
        await settled(stage, charged ? before + count : 0);
      });
      take(taken);
      return { requests: count, seconds: (performance.now() - since) / 1000, p50_ms: null, p99_ms: null };
    },
    ...(endpoints === 1 ? { finish: async () => void (await sink.run({ kind: 'hang_up' }, 10_000)) } : {}),
  };
}

function notesOf(cpu: ReadonlyMap<string, number[]>): string[] {
  const us = (id: string) => median(cpu.get(id) ?? []);
  const [created, paid, delivered, warm] = ['created', 'paid', 'delivered', 'warm'].map(us);
  if (created == null || paid == null || delivered == null || warm == null) return [];
  const rate = (each_us: number) => Math.round(1e6 / each_us);
  const shown = (each_us: number) => `${Math.round(each_us).toLocaleString('en')} µs`;
  return [
    `${rate(delivered)} whole lives in a second of CPU of service and PostgreSQL on fresh tables, ${rate(warm)} on tables that were in use ` +
      `(goal: ${GOAL}).`,
    `By stage: creation ${shown(created)}, charge with success and books ${shown(paid - created)}, deliveries ${shown(delivered - paid)}.`,
  ];
}

/** Medians of what each stretch took of a payment, by name. */
function figuresOf(transactions: ReadonlyMap<string, readonly Transactions[]>): Record<string, number> {
  const rounded = (values: number[]) => Math.round((median(values) ?? 0) * 100) / 100;
  return Object.fromEntries(
    [...transactions].flatMap(([id, taken]) => [
      [`${id}.transaction_ids`, rounded(taken.map(({ ids }) => ids))],
      [`${id}.transactions`, rounded(taken.map((one) => one.transactions))],
    ]),
  );
}

function idNotes(figures: Readonly<Record<string, number>>): string[] {
  const of = (id: string) =>
    `${figures[`${id}.transaction_ids`] ?? '-'} (of ${figures[`${id}.transactions`] ?? '-'} transactions)`;
  return [
    `Transaction ids of a payment, subtransactions and workers included: ${of('delivered')} on fresh tables, ${of('warm')} on tables that ` +
      `were in use (goal: at most ${MAX_IDS}), ${of('paced')} at ${PACE_PER_SECOND} payments a second; creation alone ${of('created')}.`,
  ];
}
