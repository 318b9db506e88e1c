import type { CustomerDeps } from '../../core/customers/deps.ts';
import { payerHash } from '../../core/customers/payer-hash.ts';
import { lockCustomer } from '../../core/customers/store.ts';
import { DatabaseUnavailable } from '../../kit/database-unavailable.ts';
import { must } from '../../kit/errors.ts';
import { SealError } from '../../kit/sealing.ts';
import type { Store } from '../../platform/db/stores.ts';
import type { Sweep } from '../../platform/work/sweep.ts';
import { CONNECTORS } from '../../providers/adapters/catalogue.ts';
import { tableOf } from './catalogue.ts';
import { deleteTheirs, REVISITS_MS } from './erase.ts';
import { knownOf } from './known.ts';
import { pseudonymise } from './pseudonymise.ts';
import { type Identity, NO_IDENTITY, NOBODY } from './redact.ts';
import { eraseRow } from './rules.ts';
import { writeRows } from './rows-store.ts';
import { claimRevisits, findOldAttempts, lockReleased, type OldAttempt, planRevisit, type Revisit } from './store.ts';

const REVISIT_BATCH = 5;
/** Lease of a repetition. After the death of a worker, another one repeats the erasure when the lease expires. */
const REVISIT_LEASE_MS = 120_000;

/**
 * Retention of the payer's number on a closed attempt. Operators report late successes and send their statements within
 * days. The number is kept longer while money has to be returned to it.
 */
const KEPT_MS = 7 * 86_400_000;
/**
 * Retention for a successful attempt whose provider refunds to the number. Later refunds through the provider are rejected,
 * and the merchant pays them out instead.
 */
const KEPT_FOR_REFUNDS_MS = 180 * 86_400_000;
const REFUND_TO_NUMBER = CONNECTORS.filter(({ refunds_to_number }) => refunds_to_number).map(({ name }) => name);
const PAYER_BATCH = 200;
/** Maximum attempts that one round examines. */
const LOOKED_AT = 1_000;
/** Time after which all attempts that were kept are examined again. */
const PASS_MS = 6 * 3_600_000;

type SweepDeps = Pick<CustomerDeps, 'clock' | 'secrets' | 'log'>;

/**
 * Repeats each erasure, to cover data that was being written when it ran. A repetition that fails is due again when its lease expires,
 * and does not delay the others of its batch.
 */
export function erasureSweep(deps: SweepDeps, store: Store): Sweep {
  return {
    name: 'erasures',
    environment: store.environment,
    idle_ms: 15_000,
    round: async () => {
      const due = await claimRevisits(store.db, new Date(deps.clock.now()), REVISIT_LEASE_MS, REVISIT_BATCH);
      for (const ref of due) {
        await revisit(deps, store, ref).catch((err: unknown) => {
          if (err instanceof DatabaseUnavailable) throw err;
          deps.log.error({ err, customer: ref.id }, 'an erasure could not be repeated; it will be tried again');
        });
      }
      return due.length;
    },
  };
}

function revisit(deps: SweepDeps, store: Store, ref: Revisit): Promise<void> {
  return store.db.transaction(async (tx) => {
    const customer = must(await lockCustomer(tx, ref), 'customers are never deleted');
    await pseudonymise(tx, deps.secrets, store.environment, customer, knownIn(deps, ref));
    await deleteTheirs(tx, ref);
    await planRevisit(tx, ref, new Date(deps.clock.now()), { last_ms: REVISITS_MS.last, working_ms: REVISITS_MS.working });
  });
}

/**
 * Replaces the payer's number by a keyed hash, and removes the IP address, when the attempt is closed and its reconciliation period has
 * ended.
 * Each round continues where the last one ended, because attempts that are kept longer are the oldest. The next pass examines them again.
 */
export function payerSweep(deps: SweepDeps, store: Store): Sweep {
  let pass = { began: Number.NEGATIVE_INFINITY, after: new Date(0) };
  return {
    name: 'payer-numbers',
    environment: store.environment,
    idle_ms: 60_000,
    round: async () => {
      const now = deps.clock.now();
      if (now - pass.began >= PASS_MS) pass = { began: now, after: new Date(0) };
      const old = await findOldAttempts(store.db, pass.after, new Date(now - KEPT_MS), LOOKED_AT);
      const due = old.filter((attempt) => !isKeptLonger(attempt, now));
      for (let from = 0; from < due.length; from += PAYER_BATCH) {
        await forgetPayers(deps, store, due.slice(from, from + PAYER_BATCH));
      }
      pass.after = old.at(-1)?.closed_at ?? pass.after;
      return old.length < LOOKED_AT ? 0 : old.length;
    },
  };
}

/** Returns the identity of the person. When its key is gone, the erasure is repeated with the values in its rows. */
function knownIn({ secrets, log }: SweepDeps, ref: Revisit): Identity {
  try {
    return knownOf(secrets, ref);
  } catch (err) {
    if (!(err instanceof SealError)) throw err;
    log.error({ err, customer: ref.id }, 'what identified an erased person cannot be read; the erasure is repeated without it');
    return NO_IDENTITY;
  }
}

function isKeptLonger({ provider, status, closed_at, has_number }: OldAttempt, now: number): boolean {
  return (
    has_number && status === 'succeeded' && REFUND_TO_NUMBER.includes(provider) && closed_at.getTime() > now - KEPT_FOR_REFUNDS_MS
  );
}

function forgetPayers(deps: SweepDeps, store: Store, attempts: readonly OldAttempt[]): Promise<void> {
  return store.db.transaction(async (tx) => {
    const old = await lockReleased(tx, attempts);
    const by = (team_id: bigint) => ({
      pseudonym: null,
      redactor: NOBODY,
      hash: (payer: string) => payerHash(deps.secrets, team_id, payer),
    });
    const forgotten = old.map((row) => eraseRow({ ...row, client_ip: null }, tableOf('attempts'), by(row.team_id)));
    await writeRows(tx, 'attempts', ['payer', 'payer_hash', 'client_ip'], forgotten);
  });
}
