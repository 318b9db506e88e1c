/*
 * A small model of returns: captured money that a payment cannot keep, the refund, the payouts and the person that may return it, what the
 * providers really hold, and nodes that do one step at a time and may die, or pause for any time, between any two. One account pays out, and
 * it repeats its response to a repeated key. Nothing here is imported from src.
 */

export type State = 'owed' | 'refunding' | 'paying_out' | 'waiting' | 'overpaid' | 'returned' | 'resolved';

/** What the provider holds under one key. `wire`: the request has left and has not arrived. `unfunded`: failed for good, unpaid. */
export type Held = 'absent' | 'wire' | 'pending' | 'paid' | 'refused' | 'unfunded';

/** Answer to a submission or a question. `absent`: not found soon after it was sent. `none`: no account was ever given it. */
export type Outcome = 'paid' | 'refused' | 'pending' | 'unfunded' | 'unavailable' | 'absent' | 'absent_long' | 'unknown' | 'none';

/** A moment: days and ten minutes that have passed, and a number that no other step has. */
export interface At {
  day: number;
  ten: number;
  n: number;
}

/** The refund or a payout of a return, with its only part. */
export interface Way {
  status: 'pending' | 'processing' | 'succeeded' | 'failed';
  part: 'waiting' | 'sent' | 'succeeded' | 'failed';
  key: number;
  /** A refund whose key is used up: what is sent next gets another. */
  spent: boolean;
  /** A refund that is sent a second time under its key, because it was not found. */
  resent: boolean;
  /** When it was sent last; null: never. How many times. */
  sent: At | null;
  sends: number;
  ended: At | null;
  /** A payout: the account has been given it. */
  addressed: boolean;
  /** When the refund worker looks at a refund next, and how often it has. */
  poll: number | null;
  claims: number;
  /** A person has decided about it. */
  resolved: boolean;
  /** By key. */
  held: readonly Held[];
  /** The provider has moved the money and its callback has not arrived. */
  callback: boolean;
  /** When a callback came to which no definite answer was read yet; null: there is none. */
  unanswered: At | null;
  /** What its provider, or a person, said last is that it moves no money. */
  denied: boolean;
  /** Of one that had failed: when its provider reported last that it carries it out; null: it has denied that since, or never said so. */
  carried: At | null;
}

export interface Return {
  state: State;
  refund: Way | null;
  payouts: readonly Way[];
  /** The payout under way or tried last; null: none, or a person lets the service try another. */
  current: number | null;
  manual: 'pending' | 'ended' | null;
  /** The only account has turned the payout away. */
  tried: boolean;
  resent: boolean;
  dispatched: At | null;
  spent: number;
  late: boolean;
  times: number;
  recheck: boolean;
  /** When the worker looks at it next, and how often it has. */
  step: number | null;
  claims: number;
  updated: At;
  /** Its money, in units of its amount. */
  hold: number;
  transit: number;
  gone: number;
  /** What people have moved, less what they put back. */
  by_hand: number;
}

/** `refund`, or the number of a payout. */
export type Ref = 'refund' | number;

/** What a node has read of a way. */
export interface Read {
  ref: Ref;
  way: Way;
  outcome: Outcome;
}

export type Node =
  | { at: 'idle' }
  | { at: 'claimed'; known: Return }
  /** Has asked about everything that had failed. */
  | { at: 'rechecks'; known: Return; reads: readonly Read[] }
  /** Has asked about the refund before another way. */
  | { at: 'proves'; known: Return; reads: readonly Read[] }
  /** Has asked about the payouts that had failed before another. */
  | { at: 'looks'; known: Return; reads: readonly Read[] }
  | { at: 'polled'; known: Return; outcome: Outcome }
  | { at: 'marked'; known: Return }
  | { at: 'answered'; known: Return; outcome: Outcome }
  /** Holds an answer about a payout that has ended meanwhile. */
  | { at: 'reports' }
  | { at: 'refund claimed'; way: Way }
  | { at: 'refund marked'; way: Way }
  | { at: 'refund answered'; way: Way; outcome: Outcome };

/** Kinds of events that are bounded. */
export const BOUNDED = ['crashes', 'lies', 'unclear', 'unread', 'lags', 'closed', 'strays', 'people', 'tens', 'days'] as const;
export type Bounded = (typeof BOUNDED)[number];

export interface World {
  row: Return;
  nodes: readonly Node[];
  now: At;
  used: Readonly<Record<Bounded, number>>;
  /** A promise that a step has broken. */
  broken: string | null;
}

export interface Rules {
  /**
   * How often a process dies, a provider does what it had denied, answers neither yes nor no to a submission, does not answer a question, does not show yet what it has, no account can
   * pay out at the moment or at all, a callback comes without a reason, a person does something, ten minutes pass, a day passes.
   */
  bounds: Record<Bounded, number>;
  /** Submissions and keys of the refund and of each payout. */
  sendings: number;
  keys: number;
  /** A person may end what is with its provider as failed. */
  ends?: boolean;
  planted?: Planted | undefined;
}

/** A mistake that a programmer could make, or has made. */
export type Planted =
  | 'unread_forgotten'
  | 'second_callback_forgotten'
  | 'failure_outruns_callback'
  | 'refund_failure_outruns_callback'
  | 'sends_beside_recheck'
  | 'sends_after_late_refund'
  | 'turned_away_is_unsent'
  | 'early_absent_is_answer'
  | 'refund_not_proved'
  | 'pending_forgotten'
  | 'carried_out_forgotten'
  | 'closed_is_deaf'
  | 'late_uncounted'
  | 'poll_unavailable_is_proof'
  | 'lost_is_failure';

export const isClosed = ({ state }: Pick<Return, 'state'>): boolean => state === 'returned' || state === 'resolved';

export const isOpen = (way: Way | null | undefined): way is Way => way?.status === 'pending' || way?.status === 'processing';

/** Whether the worker has something to do. */
export function needsWorker({ state, recheck, late }: Return): boolean {
  return state === 'owed' || state === 'refunding' || state === 'paying_out' || recheck || (late && state === 'waiting');
}

export function timesPaid(row: Return): number {
  const least = row.state === 'overpaid' ? 2 : isClosed(row) || row.late ? 1 : 0;
  return Math.max(row.times, least);
}

export function wayOf(row: Return, ref: Ref): Way {
  return (ref === 'refund' ? row.refund : row.payouts[ref]) as Way;
}

export function withWay(row: Return, ref: Ref, change: Partial<Way>): Return {
  if (ref === 'refund') return { ...row, refund: { ...(row.refund as Way), ...change } };
  return { ...row, payouts: row.payouts.map((way, i) => (i === ref ? { ...way, ...change } : way)) };
}

export function refsOf({ refund, payouts }: Return): Ref[] {
  return [...(refund ? (['refund'] as const) : []), ...payouts.keys()];
}

/** The ways that had failed at their provider, in the order in which they were started. */
export function failedOf(row: Return): Ref[] {
  return refsOf(row).filter((ref) => wayOf(row, ref).status === 'failed' && wayOf(row, ref).part === 'failed');
}

/** Whether a callback or another worker has come since the row was read. */
export function hasNews(row: Return, known: Return): boolean {
  return row.claims !== known.claims || (row.step !== null && row.step !== known.step);
}

/** Whether the row is about the same submission of its payout. */
export function isSameSubmission(row: Return, known: Return): boolean {
  return row.dispatched?.n === known.dispatched?.n;
}

/** Whether the row names the account of its payout: it was sent, and not turned away since. */
export function isWithAccount({ payouts, current }: Return): boolean {
  const payout = current === null ? undefined : payouts[current];
  return payout?.addressed === true && payout.part !== 'waiting';
}

/** Whether "not found" proves nothing yet. */
export function isFresh(sent: At | null, { ten }: At): boolean {
  return sent !== null && sent.ten === ten;
}

/** Whether a day has passed. */
export function isOver({ day: since }: At, { day }: At): boolean {
  return day > since;
}

const START: At = { day: 0, ten: 0, n: 0 };

const OWED: Return = {
  ...{ state: 'owed', refund: null, payouts: [], current: null, manual: null, tried: false, resent: false, dispatched: null },
  ...{ spent: 0, late: false, times: 0, recheck: false, step: 0, claims: 0, updated: START },
  ...{ hold: 1, transit: 0, gone: 0, by_hand: 0 },
};

/** Returns a world in which money is owed to a payer. */
export function startOf(row: Partial<Return> = {}, nodes = 2): World {
  const used = Object.fromEntries(BOUNDED.map((kind) => [kind, 0])) as World['used'];
  const idle = Array.from({ length: nodes }, () => ({ at: 'idle' as const }));
  return { row: { ...OWED, ...row }, nodes: idle, now: START, used, broken: null };
}

/** Returns a way that was sent to its provider and failed there. */
export function refusedWay(change: Partial<Way> = {}): Way {
  return {
    ...startedWay(null),
    ...{ status: 'failed', part: 'failed', sent: START, ended: START, held: ['refused'] },
    ...change,
  };
}

/** Returns a way that is being started. @param keys keys of earlier payouts that were used up */
export function startedWay(poll: number | null, keys = 0): Way {
  return {
    ...{ status: 'pending', part: 'waiting', key: 0, spent: false, resent: false, sent: null, sends: 0, ended: null },
    ...{
      addressed: false,
      poll,
      claims: 0,
      resolved: false,
      held: Array<Held>(keys + 1).fill('absent'),
      callback: false,
      unanswered: null,
      denied: true,
      carried: null,
    },
  };
}
