import { setImmediate as nextTurn } from 'node:timers/promises';
import { findReturn } from '../../core/obligations/store.ts';
import { isId } from '../../kit/ids.ts';
import { Throttle } from '../../kit/throttle.ts';
import type { Callback, RawCallback } from '../../providers/adapters/contract.ts';
import { callbackExchange } from '../../providers/exchanges/callback.ts';
import { type Authentication, MAX_CALLBACKS } from '../../providers/exchanges/schema.ts';
import type { Addressed } from '../../providers/provider-accounts/directory.ts';
import type { CallbackDeps } from './deps.ts';
import type { Matched } from './receive.ts';

/** A callback about an attempt, payout, refund or return of ours, and its answer. */
export interface AnsweredCallback {
  to: Addressed;
  raw: RawCallback;
  callback: Callback;
  /** Whether it came to the unguessable address of its subject. */
  by_address: boolean;
  about: Matched;
  answer: { status: number; body: string };
  /** When it arrived, in milliseconds since the epoch. */
  at: number;
  duration_ms: number;
}

export interface CallbackKeeper {
  keep(answered: AnsweredCallback): void;
  /** While the service shuts down: resolves when all callbacks kept so far are in the log of exchanges, which may then be closed. */
  kept(): Promise<void>;
}

/**
 * Stores callbacks for the page of their subject (docs/decisions/0097-callbacks-kept.md). They are stored after the answer, which neither
 * waits for it nor fails because of it. Repetitions beyond the maximum are not parsed for it.
 */
export function callbackKeeper(deps: CallbackDeps): CallbackKeeper {
  const paces = new Throttle(deps.clock, MAX_CALLBACKS);
  const underWay = new Set<Promise<void>>();
  const keep = async (answered: AnsweredCallback, by: Authentication) => {
    await nextTurn();
    const { subject_id: subject } = answered.about;
    await store(deps, answered, by).catch((err) => deps.log.warn({ err, subject }, 'a callback was not stored'));
  };
  return {
    keep: (answered) => {
      const { about, callback, by_address } = answered;
      const by = authentication(callback, by_address);
      if (deps.exchangeLog === null || paces.take(`${about.subject_id} ${by}`) > 0) return;
      const keeping = keep(answered, by);
      underWay.add(keeping);
      void keeping.finally(() => underWay.delete(keeping));
    },
    kept: async () => {
      if (deps.service.leaving) await Promise.all(underWay);
    },
  };
}

async function store(deps: CallbackDeps, { to, about, ...rest }: AnsweredCallback, by: Authentication): Promise<void> {
  const { environment, team_id, provider } = to;
  const { subject_id } = about;
  // Other callbacks are unauthenticated, and may contain the numbers of any person.
  const numbers = by === 'signed' || by === 'address' ? about.numbers : null;
  const refund_id = isId('rtn', environment, subject_id) ? await refundOf(deps, to, subject_id) : null;
  deps.exchangeLog?.add(
    callbackExchange({
      ...rest,
      ...{ environment, team_id, provider: provider.name, account_id: provider.account_id, numbers },
      subject_id: refund_id ?? subject_id,
      callback: by,
    }),
  );
}

/** Returns the refund or payout that pays a return out, which is the subject of the calls to the provider. */
async function refundOf({ stores }: CallbackDeps, { environment, team_id }: Addressed, id: string): Promise<string | null> {
  const row = await findReturn(stores[environment].of(team_id).db, { team_id, id });
  return row?.payout_id ?? row?.refund_id ?? null;
}

function authentication(callback: Callback, by_address: boolean): Authentication {
  if (callback.kind === 'forged') return 'forged';
  if (callback.kind === 'signed' || callback.proven) return 'signed';
  return by_address ? 'address' : 'unverified';
}
