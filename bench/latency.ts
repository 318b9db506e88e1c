import { growthOf } from './backlog.ts';
import type { PaceJob, Paced } from './child/pace.ts';
import type { Ports } from './child/sink.ts';
import { Helper } from './helper.ts';
import { merchant, WRITTEN } from './lives.ts';
import { type Memory, memoryOf } from './memory.ts';
import type { Options } from './options.ts';
import { median } from './report.ts';
import type { Point, Section } from './rounds.ts';
import type { Service } from './service.ts';
import { clear, type Stage } from './stage.ts';
import { BODY } from './statement.ts';

interface Stream {
  id: string;
  label: string;
  /** Payments for each second, and endpoints that get each of their events. */
  rate: number;
  endpoints: number;
  charged?: true;
  goal_p95_ms?: number;
  /** Long enough to see whether a backlog grows. */
  min_seconds?: number;
}

const STREAMS: readonly Stream[] = [
  { id: 'events-200', label: 'webhooks, 200 a second', rate: 200, endpoints: 1, goal_p95_ms: 25 },
  { id: 'events-1000', label: 'webhooks, 1,000 a second', rate: 1_000, endpoints: 1, goal_p95_ms: 100, min_seconds: 10 },
  {
    id: 'events-2000',
    label: 'webhooks, 2,000 a second (500 payments, four endpoints)',
    rate: 500,
    endpoints: 4,
    min_seconds: 10,
  },
  { id: 'charges-50', label: 'charges, 50 a second', rate: 50, endpoints: 0, charged: true, goal_p95_ms: 15 },
];

const LIMIT_MS = 180_000;

type Shop = Helper<PaceJob, Ports | Paced>;

/** How long a shop waits at a fixed rate: for a webhook after the answer to its payment, and for the answer to a charge. */
export async function latencySection(stage: Stage, options: Options, service: Service): Promise<Section> {
  const shop: Shop = new Helper('pace', stage.folder);
  /** Windows that were kept, and those that the next of them is chosen from. */
  const taken = new Map<string, Paced[]>();
  let tries: Paced[] = [];
  const before = memoryOf(service.pid);
  return {
    name: 'latency',
    points: STREAMS.map((stream) =>
      streamPoint(stage, options, service, shop, stream, (paced) => {
        tries.push(paced);
      }),
    ),
    comparisons: [],
    taken: (id, { p50_ms }) => {
      const kept = tries.find((paced) => paced.p50_ms === p50_ms);
      if (kept) taken.set(id, [...(taken.get(id) ?? []), kept]);
      tries = [];
    },
    notes: async () => [
      ...STREAMS.map((stream) => noteOf(stream, taken.get(stream.id) ?? [])),
      memoryNote(before, memoryOf(service.pid)),
    ],
    close: async () => {
      await shop.stop();
      await clear(stage.sandbox, [...WRITTEN, 'webhook_endpoints']);
    },
  };
}

function streamPoint(
  stage: Stage,
  { seconds, warm_seconds, quick }: Options,
  service: Service,
  shop: Shop,
  { id, label, rate, endpoints, charged = undefined, min_seconds = 0 }: Stream,
  take: (paced: Paced) => void,
): Point {
  let key = '';
  const window_ms = (quick ? seconds : Math.max(seconds, min_seconds)) * 1000;
  return {
    id,
    label,
    service_pid: service.pid,
    client_pid: shop.pid,
    prepare: async () => {
      await clear(stage.sandbox, [...WRITTEN, 'webhook_endpoints']);
      key = await merchant(stage, shop as Helper<PaceJob, Ports>, endpoints);
    },
    run: async (started) => {
      const paced = await shop.run(
        {
          ...{ kind: 'pace', port: service.port, key, body: BODY, endpoints },
          // A smoke run is for the rows alone.
          rate: quick ? Math.min(rate, 100) : rate,
          charge: charged ? { channel: 'cm.mtn', data: { phone: BODY.phone } } : null,
          warm_ms: warm_seconds * 1000,
          window_ms,
        },
        LIMIT_MS + window_ms,
        started,
      );
      take(paced as Paced);
      return paced as Paced;
    },
  };
}

function noteOf({ label, goal_p95_ms = undefined }: Stream, taken: readonly Paced[]): string {
  const p95 = median(taken.map(({ p95_ms }) => p95_ms));
  const behind = median(taken.map((paced) => paced.behind));
  const goal = goal_p95_ms === undefined ? '' : ` (goal: ${goal_p95_ms} ms)`;
  const end = `${behind ?? 0} deliveries under way at the end`;
  const growth = growthOf(taken.map(({ backlog }) => backlog));
  return `${label}: p95 ${p95 === null ? '-' : p95.toFixed(1)} ms${goal}; ${end}${growth === null ? '' : `, ${growth}`}.`;
}

function memoryNote(before: Memory | null, after: Memory | null): string {
  if (!before || !after) return 'Memory is read on Linux only.';
  return `Memory of the service: ${before.now_mb} MB before, at most ${after.most_mb} MB.`;
}
