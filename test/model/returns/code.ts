import type { ReturnRow } from '../../../src/core/obligations/schema.ts';
import { applyRefund, markSent } from '../../../src/core/refunds/apply.ts';
import type { RefundRow } from '../../../src/core/refunds/schema.ts';
import { resolveRefund } from '../../../src/core/refunds/resolve.ts';
import { pollRefund } from '../../../src/core/refunds/service.ts';
import type { ReturnDeps } from '../../../src/core/returns/deps.ts';
import { recordLateRefund } from '../../../src/core/returns/late.ts';
import { resolveReturn, retryReturn } from '../../../src/core/returns/resolve.ts';
import { pollFailedPayout, pollReturn, recheckFailedRefund } from '../../../src/core/returns/service.ts';
import { advanceReturn } from '../../../src/core/returns/step.ts';
import type { Provider } from '../../../src/providers/adapters/contract.ts';
import { WORKER } from '../../../src/tenants/audit/actor.ts';
import { Memory, type Stored, type StoredRefund } from './memory.ts';
import { type At, isFresh, isOver, isWithAccount, type Outcome, type Ref, type Return, type Way, wayOf } from './world.ts';

/*
 * Runs the program's own functions for a return of the model, on a store in memory that holds its rows, and tells what they made of it in the
 * words of the model.
 */

const AMOUNT = 10_000n;
const NOW = Date.UTC(2026, 10, 22);
const DAY_MS = 86_400_000;
const LEASE_MS = 60_000;
const ACCOUNT = 'able';
const TEAM = 1n;
const REF = { team_id: TEAM, id: 'rtn_model' };
const SAID = { evidence: 'a statement', author: 'operator' };
const PLAN = { first_ms: 1_000, factor: 2, max_ms: 50_000 };

const OUTCOMES: Record<Exclude<Outcome, 'none'>, object> = {
  paid: { kind: 'succeeded', provider_ref: 'ref', amount_minor: AMOUNT, currency: 'XAF' },
  refused: { kind: 'failed', reason: 'provider_error', message: 'refused' },
  pending: { kind: 'pending', provider_ref: 'ref', poll_after_ms: 1_000 },
  unfunded: { kind: 'unfunded', message: 'no float' },
  unavailable: { kind: 'unavailable', message: 'not sent' },
  absent: { kind: 'not_found' },
  absent_long: { kind: 'not_found' },
  unknown: { kind: 'unknown', message: 'no response' },
};

/** Times of the rows: of steps by their number, and what is long ago. */
interface Times {
  now: At;
  /** Whether what was sent then may not be shown yet; left out: by the moments that have passed. */
  fresh?: (sent: At) => boolean;
  /** The mark that the program makes now has this number. */
  mark?: number;
}

/** What the providers do: the answer to each call, and whether the rows change before it. */
export type Called = (call: 'read' | 'submit', ref: Ref, memory: Memory) => Outcome;

const idOf = (ref: Ref): string => (ref === 'refund' ? 'rfd_refund' : `rfd_payout${ref}`);
const refOf = (id: string): Ref => (id === 'rfd_refund' ? (id.slice(4) as 'refund') : Number(id.slice('rfd_payout'.length)));
const dueAt = (n: number | null, { mark }: Times): Date | null =>
  n === null ? null : new Date(n === mark ? NOW + LEASE_MS : NOW - 20_000 + n);
const keyOf = (key: number): string => `key ${key}`;

function sentAt(sent: At | null, { now, fresh, mark }: Times): Date | null {
  if (sent === null) return null;
  if (sent.n === mark) return new Date(NOW);
  return new Date((fresh ? fresh(sent) : isFresh(sent, now)) ? NOW - 10_000 + sent.n : NOW - 3_600_000 + sent.n);
}

export function storedOf(row: Return, times: Times): Stored {
  const ways = [...(row.refund ? ['refund' as const] : []), ...row.payouts.keys()];
  const refunds = ways.map((ref) => refundOf(wayOf(row, ref), ref, times));
  if (row.manual === 'pending') refunds.push(manualOf(times));
  return { row: rowOf(row, times), refunds };
}

export function rowOf(row: Return, times: Times): ReturnRow {
  const {
    state,
    refund,
    current,
    manual,
    tried,
    resent,
    dispatched,
    spent,
    late,
    times: times_paid,
    recheck,
    step,
    updated,
  } = row;
  return {
    ...{ ...REF, payment_id: 'trx_model', attempt_id: 'att_model', arrival: '', amount_minor: AMOUNT, currency: 'XAF', state },
    ...{ refund_id: refund ? idOf('refund') : null, payout_id: current === null ? null : idOf(current) },
    ...{ manual_id: manual === 'pending' ? 'rfd_manual' : null, account_id: isWithAccount(row) ? ACCOUNT : null },
    ...{
      tried: tried ? [ACCOUNT] : [],
      resent,
      dispatched_at: sentAt(dispatched, times),
      spent,
      late_refund: late,
      times_paid,
      recheck,
    },
    ...{ polls: row.claims + 1, note: null, next_step_at: dueAt(step, times), waiting_since: null, announced_at: new Date(NOW) },
    ...{ resolved_as: null, resolutions: [], created_at: new Date(NOW - DAY_MS), closed_at: null },
    updated_at: new Date(isOver(updated, times.now) ? NOW - DAY_MS - 1 : NOW - 50_000),
  };
}

export function refundOf(way: Way, ref: Ref, times: Times): StoredRefund {
  const { status, part, key, spent, resent, sent, ended, addressed, poll, claims, resolved } = way;
  const sent_at = sentAt(sent, times)?.toISOString() ?? null;
  return {
    ...{ team_id: TEAM, id: idOf(ref), payment_id: 'trx_model', kind: 'giveback', attempt_id: 'att_model', return_id: REF.id },
    ...{ way: ref === 'refund' ? 'refund' : 'payout', amount_minor: AMOUNT, currency: 'XAF', status, reason: 'duplicate' },
    ...{ failure_reason: null, message: null, metadata: null, event_count: 1, polls: claims },
    resolution: resolved ? { as: 'failed', ...SAID } : null,
    ...{
      submitted_at: null,
      next_poll_at: dueAt(poll, { ...times, mark: -1 }),
      created_at: new Date(NOW),
      updated_at: new Date(NOW),
    },
    completed_at: ended && new Date(isOver(ended, times.now) ? NOW - DAY_MS - 1 : NOW - 50_000),
    draws: [{ account_id: '', bucket: 'hold', amount_minor: String(AMOUNT) }],
    legs: [
      {
        ...{ attempt_id: 'att_model', amount_minor: AMOUNT, provider_key: keyOf(key), status: part, sent_at, provider_ref: null },
        ...(spent && { spent_key: keyOf(key) }),
        ...(resent && { resent: true as const }),
        ...(addressed && { provider_account: ACCOUNT }),
      },
    ],
  };
}

function manualOf(times: Times): StoredRefund {
  const way: Way = { ...EMPTY, status: 'pending', part: 'waiting' };
  return { ...refundOf(way, 'refund', times), id: 'rfd_manual', way: 'manual', draws: null };
}

const EMPTY = {
  ...{ key: 0, spent: false, resent: false, sent: null, sends: 0, ended: null, addressed: false, poll: null, claims: 0 },
  ...{ resolved: false, held: [], callback: false, unanswered: null, denied: true, carried: null },
};

const PAYMENT = {
  ...{
    team_id: TEAM,
    id: 'trx_model',
    status: 'expired',
    amount_minor: AMOUNT,
    captured_minor: 0n,
    fee_minor: 0n,
    refunded_minor: 0n,
  },
  ...{ currency: 'XAF', bearer: 'merchant', event_count: 1, settled: true, split: null, account_id: null, customer_id: null },
  ...{ details: null, continue_at: null, completed_at: new Date(NOW), description: null, reference: null, archived: null },
  ...{ created_at: new Date(NOW), updated_at: new Date(NOW), expires_at: new Date(NOW) },
};
const ATTEMPT = {
  ...{
    team_id: TEAM,
    id: 'att_model',
    payment_id: 'trx_model',
    status: 'succeeded',
    provider_account: ACCOUNT,
    provider_key: 'k',
  },
  ...{ provider_ref: null, handle: null, channel: 'cm.mtn', payer: '+237650000000', amount_minor: AMOUNT, currency: 'XAF' },
  ...{ must_return: true, action: null, submitted_at: new Date(NOW), created_at: new Date(NOW), resubmitted_at: null },
};

/** A run of the program's functions over one return. */
export class Run {
  readonly #before: Stored;
  readonly #times: Times;
  readonly memory: Memory;
  readonly calls: string[] = [];
  readonly deps: ReturnDeps;
  readonly store: { environment: 'live'; db: Memory['db'] };

  /** @param canPay whether an account can pay out */
  constructor(before: Return, times: Times, called: Called = () => 'unknown', canPay = true) {
    this.#before = storedOf(before, times);
    this.#times = times;
    this.memory = new Memory(storedOf(before, times), { payments: [PAYMENT], attempts: [ATTEMPT] });
    this.store = { environment: 'live', db: this.memory.db };
    const answer = async (call: 'read' | 'submit', id: string) => {
      const ref = refOf(id);
      this.calls.push(`${call} ${ref}`);
      return OUTCOMES[called(call, ref, this.memory) as Exclude<Outcome, 'none'>];
    };
    const calls = {
      read: (of: { refund_id?: string; transfer_id?: string }) => answer('read', of.refund_id ?? of.transfer_id ?? ''),
      submit: (of: { refund_id?: string; transfer_id?: string }) => answer('submit', of.refund_id ?? of.transfer_id ?? ''),
    };
    const provider = {
      ...{ name: ACCOUNT, account_id: ACCOUNT, keyOf: () => keyOf(this.memory.stored.row.spent) },
      capabilities: { idempotency: 'replays', readable_by: 'ours', not_found_grace_ms: 600_000, polls: PLAN },
      ...{ refunds: { extent: 'partial', ...calls }, payouts: { reaches: () => true, ...calls } },
    } as unknown as Provider;
    this.deps = {
      ...{ clock: { now: () => NOW }, listeners: [], wake: { ring: () => {} } },
      ...{ config: { public_url: 'https://pirogue.example' }, secrets: { mac: () => 'mac' } },
      providers: { byAccount: async (_: string, __: bigint, id: string) => (id === ACCOUNT ? provider : undefined) },
      router: { choose: async () => ({ candidates: canPay ? [provider] : [], waits: false }) },
    } as unknown as ReturnDeps;
  }

  advance(known: Return): Promise<void> {
    return advanceReturn(this.deps, this.store, rowOf(known, this.#times));
  }

  async calledBack(ref: Ref): Promise<void> {
    if (ref !== 'refund') return pollReturn(this.store, NOW, REF, ACCOUNT);
    await pollRefund(this.store, NOW, TEAM, idOf(ref));
    await recheckFailedRefund(this.store, NOW, TEAM, idOf(ref));
  }

  reports(): Promise<void> {
    return pollFailedPayout(this.store, NOW, REF);
  }

  async refundMarked(): Promise<void> {
    const known = await this.#refund();
    await this.store.db.transaction((tx) => markSent(tx, this.#context, known, 0, (key) => keyOf(Number(key.split(' ')[1]) + 1)));
  }

  async afterRefund(known: Way, outcome: Outcome): Promise<void> {
    const row = refundOf(known, 'refund', this.#times) as unknown as RefundRow;
    const said = OUTCOMES[outcome as Exclude<Outcome, 'none'>] as Parameters<typeof applyRefund>[4];
    await this.store.db.transaction((tx) => applyRefund(tx, this.#context, row, 0, said, PLAN));
  }

  /** Returns whether a person may do it. */
  async person(what: 'resolves' | 'retries' | 'reports' | 'ends', ref: Ref): Promise<boolean> {
    const as = this.memory.stored.row.state === 'overpaid' ? 'recovered' : 'returned';
    const way = { team_id: TEAM, id: idOf(ref), part: null };
    const works = {
      resolves: () => resolveReturn(this.deps, this.store, REF, { as, ...SAID }, WORKER),
      retries: () => retryReturn(this.deps, this.store, REF, WORKER),
      reports: () => recordLateRefund(this.deps, this.store, way, SAID, WORKER),
      ends: () => resolveRefund(this.deps, this.store, way, { as: 'failed', ...SAID }, WORKER),
    };
    try {
      await works[what]();
      return true;
    } catch (error) {
      if (error instanceof Error && 'status' in error) return false;
      throw error;
    }
  }

  /** Other workers and callbacks have made this of the return meanwhile. */
  becomes(row: Return): void {
    this.memory.stored = storedOf(row, this.#times);
    this.memory.moved = {};
  }

  /** Returns what the return is now. @param since what it was when the program last had it to itself */
  shape(since: Return): object {
    const { row, refunds } = this.memory.stored;
    const before = since === undefined ? this.#before : storedOf(since, this.#times);
    const known = refunds.filter(({ way, id }) => way === 'payout' && id !== row.payout_id).map(({ id }) => id);
    const listed = row.payout_id === null || known.includes(row.payout_id) ? known : [...known, row.payout_id];
    const payouts = listed.toSorted(
      (a, b) => (a === row.payout_id ? 1 : 0) - (b === row.payout_id ? 1 : 0) || a.localeCompare(b),
    );
    const ids = before.refunds.filter(({ way }) => way === 'payout').map(({ id }) => id);
    const order = [...ids, ...payouts.filter((id) => !ids.includes(id))];
    const wayShape = (id: string | null) => {
      const now = refunds.find((one) => one.id === id);
      return now === undefined
        ? null
        : shapeOfRefund(
            now,
            before.refunds.find((one) => one.id === id),
          );
    };
    const { moved } = this.memory;
    const manual = refunds.find(({ id }) => id === row.manual_id);
    return {
      ...{ state: row.state, current: row.payout_id === null ? null : order.indexOf(row.payout_id) },
      ...{ waits: manual?.status === 'pending', tried: row.tried.length > 0, resent: row.resent },
      ...{ dispatched: since3(row.dispatched_at, before.row.dispatched_at), spent: row.spent, late: row.late_refund },
      ...{ times: row.times_paid, recheck: row.recheck, step: since3(row.next_step_at, before.row.next_step_at) },
      ...{ reset: row.polls === 0, updated: since3(row.updated_at, before.row.updated_at) },
      ...{ hold: since.hold + (moved.hold ?? 0), transit: since.transit + (moved.refund_clearing ?? 0) },
      refund: wayShape(row.refund_id),
      payouts: order.map(wayShape),
    };
  }

  get #context() {
    return { environment: 'live' as const, at: NOW, listeners: [] };
  }

  async #refund(): Promise<RefundRow> {
    return this.memory.stored.refunds.find(({ id }) => id === idOf('refund')) as unknown as RefundRow;
  }
}

function since3(now: Date | null, before: Date | null | undefined): 'new' | 'old' | null {
  return now === null ? null : now.getTime() === before?.getTime() ? 'old' : 'new';
}

const dated = (text: string | null | undefined): Date | null => (text ? new Date(text) : null);

function shapeOfRefund(now: StoredRefund, before: StoredRefund | undefined): object {
  const [part] = now.legs;
  if (!part) throw new Error('a refund of a return has one part');
  return {
    ...{ status: now.status, part: part.status, key: Number(/\d+$/.exec(part.provider_key)?.[0] ?? 0) },
    ...{
      spent: part.spent_key === part.provider_key,
      resent: part.resent === true,
      addressed: part.provider_account !== undefined,
    },
    ...{ sent: since3(dated(part.sent_at), dated(before?.legs[0]?.sent_at)), resolved: now.resolution !== null },
    ended: since3(now.completed_at as Date | null, before?.completed_at as Date | null),
    poll: since3(now.next_poll_at as Date | null, before?.next_poll_at as Date | null),
  };
}

/** Returns what the model makes of a return, in the same words. */
export function shapeOf(row: Return, before: Return): object {
  const age = <T>(now: T | null, then: T | null | undefined) => (now === null ? null : now === then ? 'old' : 'new');
  const number = (at: At | null | undefined) => at?.n ?? null;
  const shapeOfWay = (way: Way | null, then: Way | null | undefined) =>
    way && {
      ...{ status: way.status, part: way.part, key: way.key, spent: way.spent, resent: way.resent, addressed: way.addressed },
      ...{
        sent: age(number(way.sent), number(then?.sent)),
        resolved: way.resolved,
        ended: age(number(way.ended), number(then?.ended)),
      },
      poll: age(way.poll, then?.poll),
    };
  return {
    ...{ state: row.state, current: row.current, waits: row.manual === 'pending', tried: row.tried, resent: row.resent },
    ...{ dispatched: age(number(row.dispatched), number(before.dispatched)), spent: row.spent, late: row.late, times: row.times },
    ...{ recheck: row.recheck, step: age(row.step, before.step), reset: row.claims !== before.claims },
    ...{ updated: age(row.updated.n, before.updated.n), hold: row.hold, transit: row.transit },
    refund: shapeOfWay(row.refund, before.refund),
    payouts: row.payouts.map((way, i) => shapeOfWay(way, before.payouts[i])),
  };
}
