import fs from 'node:fs';
import path from 'node:path';
import { BACK_MS, type Course, type Fault } from './faults/fault.ts';
import type { Client } from './load/client.ts';
import type { Load } from './load/load.ts';
import { countOpen, listOutgoing, listPayments, readBooked, readEvents, readMoves, readOutgoing } from './oracle/evidence.ts';
import { type Evidence, judge, passes, type Verdict, waitingFor } from './oracle/judge.ts';
import { untilHealthy } from './parts/database.ts';
import type { Stage } from './stage.ts';
import { until } from './wait.ts';

const BEFORE_S = 3;
/** Beyond the end of the windows in which requests may fail. */
const AFTER_S = 6;
/** After a fault in which none may fail. */
const AFTER_UNNOTICED_S = 2;
/** After this long nothing may be under way. */
const SETTLED_MS = 60_000;

/** What happened to the load during one fault. */
export interface Outcome {
  fault: string;
  /** Null: it was run. */
  not_run: string | null;
  orders: number;
  /** Refunds and payouts that were requested, and cancellations that were answered. */
  refunds: number;
  payouts: number;
  cancelled: number;
  /** Longest time without a new payment, in seconds. */
  gap_s: number;
  /** Between the new primary and the next new payment, in seconds; null: the primary stayed. */
  back_s: number | null;
  /** Failed requests by kind. */
  errors: Record<string, number>;
  verdict: Verdict;
  /** Payments, refunds and payouts that never reached their provider, and are polled until that is certain. */
  waiting: string[];
  /** What the fault itself found, and writes that were back too late. */
  found: string[];
  passed: boolean;
}

const NOTHING: Verdict = { lost: [], twice: [], stuck: [], events: [], books: [], errors: [] };

export function notRun(fault: Pick<Fault, 'name'>, reason: string): Outcome {
  const counts = { orders: 0, refunds: 0, payouts: 0, cancelled: 0 };
  const empty = { ...counts, gap_s: 0, back_s: null, errors: {}, verdict: NOTHING, waiting: [], found: [], passed: true };
  return { fault: fault.name, not_run: reason, ...empty };
}

/** Runs one fault under load, and judges what is left when all is well again. */
export async function runFault(stage: Stage, fault: Fault): Promise<Outcome> {
  await untilHealthy(stage.state);
  const reason = fault.impossible(stage);
  if (reason !== null) return notRun(fault, reason);
  const since = Date.now();
  const first_delivery = stage.receiver.deliveries.length;
  const { client, load, prefix } = stage.startLoad(fault.name);
  let course: Course;
  try {
    await stage.wait(BEFORE_S);
    course = await fault.run(stage);
    await stage.wait(fault.is_unnoticed ? AFTER_UNNOTICED_S : AFTER_S);
  } finally {
    await load.stop();
  }
  stage.progress(`${load.orders.length} orders; waiting until nothing is under way`);
  await until('', SETTLED_MS, async () => (await countOpen(stage.state, prefix).catch(() => 1)) === 0).catch(() => {});
  const evidence = await collect(stage, { client, load, prefix, since, first_delivery, course });
  await client.close();
  keep(stage, fault, evidence);
  return outcomeOf(fault, evidence, course, client);
}

/** Keeps what was judged beside the logs. */
function keep({ state }: Stage, { name }: Fault, evidence: Evidence): void {
  const text = JSON.stringify(evidence, (_, value) => (value instanceof Set ? [...value] : value));
  fs.writeFileSync(path.join(state.folder, 'logs', `${name}.evidence.json`), text);
}

interface Collected {
  client: Client;
  load: Load;
  prefix: string;
  since: number;
  first_delivery: number;
  course: Course;
}

async function collect(stage: Stage, { client, load, prefix, since, first_delivery, course }: Collected): Promise<Evidence> {
  const ended = stage.endedPrograms();
  const failed = [...client.failed];
  const [listed, outgoing_listed, booked, outgoing_booked, events, moves] = await Promise.all([
    listPayments(client, stage.merchants, prefix),
    listOutgoing(client, stage.merchants, prefix),
    readBooked(stage.state, prefix),
    readOutgoing(stage.state, prefix),
    readEvents(stage.state, prefix),
    readMoves(stage.state, since),
  ]);
  const deliveries = stage.receiver.deliveries.slice(first_delivery);
  const { orders } = load;
  const { windows } = course;
  return { orders, listed, booked, outgoing_listed, outgoing_booked, events, deliveries, moves, failed, windows, ended };
}

function outcomeOf(fault: Fault, evidence: Evidence, course: Course, client: Client): Outcome {
  const verdict = judge(evidence);
  const created = [...client.created_at].sort((a, b) => a - b);
  const gap = created.reduce((longest, at, i) => Math.max(longest, at - (created[i - 1] ?? at)), 0);
  const { primary_at } = course;
  const next = primary_at === null ? undefined : created.find((at) => at >= primary_at);
  const back = primary_at === null ? null : next === undefined ? Number.POSITIVE_INFINITY : next - primary_at;
  const late = back !== null && back > BACK_MS ? [`writes were back ${(back / 1000).toFixed(1)} s after the new primary`] : [];
  const found = [...course.found, ...late];
  return {
    ...{
      fault: fault.name,
      not_run: null,
      ...countsOf(evidence),
      gap_s: gap / 1000,
      back_s: back === null ? null : back / 1000,
    },
    errors: Object.fromEntries([...Map.groupBy(evidence.failed, ({ kind }) => kind)].map(([kind, list]) => [kind, list.length])),
    ...{ verdict, waiting: waitingFor(evidence), found, passed: passes(verdict) && found.length === 0 },
  };
}

function countsOf({ orders }: Evidence): Pick<Outcome, 'orders' | 'refunds' | 'payouts' | 'cancelled'> {
  const count = (is: (order: Evidence['orders'][number]) => boolean) => orders.filter(is).length;
  return {
    orders: orders.length,
    refunds: count(({ outgoing }) => outgoing?.kind === 'refund'),
    payouts: count(({ outgoing }) => outgoing?.kind === 'payout'),
    cancelled: count(({ cancelled }) => cancelled),
  };
}
