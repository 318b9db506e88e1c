import { takeJobs } from '../../../bench/child/jobs.ts';
import { createLog } from '../../../src/kit/log.ts';
import { type DbPool, openPool } from '../../../src/platform/db/pool.ts';
import { SIMULATORS } from '../../../simulators/catalogue.ts';
import { startSimulator, type Simulator } from '../../../simulators/kit/simulator.ts';
import { differences } from '../../../test/system/audit.ts';
import { hastened } from '../../../test/system/market.ts';
import { decideByStatement } from '../../../test/system/person.ts';

export type MarketJob =
  | { kind: 'open'; seed: number; speed: number; from_s: number; live_url: string; team_id: string }
  /** Makes the clock of the simulators faster from a given second of the epoch on. */
  | { kind: 'hasten'; speed: number; from_s: number }
  /** Sets the addresses for callbacks, by provider. */
  | { kind: 'callbacks'; urls: Record<string, string> }
  /** Starts random faults at one provider. */
  | { kind: 'storm'; turn: number }
  /** Ends all faults. */
  | { kind: 'calm' }
  /** Resolves attempts that only the provider's statement can resolve. */
  | { kind: 'decide' }
  /** Compares the books of the providers with the payments and the ledger. */
  | { kind: 'audit'; orders: number };

export interface MarketResult {
  providers?: { name: string; credentials: Record<string, string> }[];
  /** Name of the provider with faults. */
  storm?: string;
  decided?: number;
  differences?: string[];
  faults?: number;
  moved?: number;
}

/** How long a payer takes, and the longest deadline of an adapter, in the accelerated time of the databases. */
const DELAY_MS = 500;
const SLOW_MS = 35_000;
const LAG_MS = 20_000;
/** Part of a delay that the speed of the clock does not shorten. */
const SLACK_MS = 500;

let simulators: Simulator[] = [];
let shop: { live: DbPool; team_id: bigint } | undefined;
let time = hastened(1, 0);
const clock = { now: () => time.now() };

async function open({ seed, speed, from_s, live_url, team_id }: Extract<MarketJob, { kind: 'open' }>): Promise<MarketResult> {
  time = hastened(speed, from_s * 1000);
  const options = {
    profile: 'calm',
    delay_ms: Math.max(40, DELAY_MS / speed),
    slow_ms: SLOW_MS / speed + SLACK_MS,
    lag_ms: LAG_MS / speed + SLACK_MS,
    now: clock.now,
  } as const;
  simulators = await Promise.all(SIMULATORS.map((kind, i) => startSimulator(kind, { ...options, seed: seed * 100 + i * 10 })));
  const live = openPool({ url: live_url, size: 2, log: createLog({ level: 'warn', format: 'json' }) });
  shop = { live, team_id: BigInt(team_id) };
  return { providers: simulators.map(({ name, credentials }) => ({ name, credentials })) };
}

function storm(turn: number): MarketResult {
  const simulator = simulators[turn % simulators.length] as Simulator;
  simulator.faults.setProfile('stormy');
  return { storm: simulator.name };
}

function calm(): MarketResult {
  for (const simulator of simulators) simulator.recover();
  return {};
}

async function audit(orders: number): Promise<MarketResult> {
  if (!shop) throw new Error('the simulators are not open');
  const counts = simulators.flatMap(({ faults }) => Object.values(faults.counts()));
  return {
    differences: await differences({ live: shop.live, simulators }, orders),
    faults: counts.reduce((sum, count) => sum + count, 0),
    moved: simulators.reduce((sum, { book }) => sum + book.entries().filter(({ moved }) => moved).length, 0),
  };
}

takeJobs<MarketJob, MarketResult>(async (job) => {
  switch (job.kind) {
    case 'open':
      return open(job);
    case 'hasten':
      time = hastened(job.speed, job.from_s * 1000);
      return {};
    case 'callbacks':
      for (const { name, settings } of simulators) settings.set('callback_url', job.urls[name] ?? '');
      return {};
    case 'storm':
      return storm(job.turn);
    case 'calm':
      return calm();
    case 'decide':
      return { decided: shop ? await decideByStatement({ ...shop, clock, simulators }) : 0 };
    case 'audit':
      return audit(job.orders);
  }
});
