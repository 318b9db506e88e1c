import type { Stores } from '../../platform/db/stores.ts';
import type { Clock } from '../../kit/clock.ts';
import type { Environment } from '../../kit/environment.ts';
import type { Log } from '../../kit/log.ts';
import type { FloatsOfTeam, FloatView } from '../routing/schema.ts';
import { floatsOf } from './store.ts';
import { KnownFloats } from './view.ts';

/** Lifetime of a cached view before it is refreshed. */
const CACHE_MS = 2_000;
/**
 * Maximum age of a view used while a refresh is in progress. A payout waiting in a transaction should not wait for a
 * second connection.
 */
const MEANWHILE_MS = 60_000;
/** Maximum wait for a first read. A payout is submitted without known floats rather than delayed. */
const DEADLINE_MS = 250;
const MAX_TEAMS = 10_000;

interface Remembered {
  view: FloatView | null;
  read_at: number;
  /** The read in progress. Never rejects. */
  looking: Promise<FloatView | null> | null;
}

/** Cache of the float balances that the workers have stored. A failed or slow read never delays or prevents a payout. */
export class FloatBook implements FloatsOfTeam {
  readonly #stores: Pick<Stores, Environment>;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #remembered = new Map<string, Remembered>();

  constructor(parts: { stores: Pick<Stores, Environment>; clock: Clock; log: Log }) {
    this.#stores = parts.stores;
    this.#clock = parts.clock;
    this.#log = parts.log;
  }

  async of(environment: Environment, team_id: bigint): Promise<FloatView | null> {
    const known = this.#entry(`${environment} ${team_id}`);
    const age = this.#clock.now() - known.read_at;
    // After the database's clock was set back, the age is negative and the cached view is not used.
    if (known.view && age >= 0 && age < CACHE_MS) return known.view;
    known.looking ??= this.#look(known, environment, team_id);
    if (known.view && age >= 0 && age < MEANWHILE_MS) return known.view;
    return inTime(known.looking);
  }

  #entry(name: string): Remembered {
    let entry = this.#remembered.get(name);
    if (!entry) {
      if (this.#remembered.size >= MAX_TEAMS) this.#remembered.clear();
      entry = { view: null, read_at: 0, looking: null };
      this.#remembered.set(name, entry);
    }
    return entry;
  }

  async #look(known: Remembered, environment: Environment, team_id: bigint): Promise<FloatView | null> {
    const read_at = this.#clock.now();
    try {
      known.view = new KnownFloats(await floatsOf(this.#stores[environment].of(team_id).db, team_id));
      known.read_at = read_at;
      return known.view;
    } catch (err) {
      this.#log.warn({ err, team: String(team_id) }, 'floats could not be read: payouts are routed without them');
      return null;
    } finally {
      known.looking = null;
    }
  }
}

async function inTime(looking: Promise<FloatView | null>): Promise<FloatView | null> {
  const late = Promise.withResolvers<null>();
  const timer = setTimeout(() => late.resolve(null), DEADLINE_MS);
  try {
    return await Promise.race([looking, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
