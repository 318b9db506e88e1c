import { nextOf } from '../machines.ts';

/*
 * A small model of refunds: payments captured in tranches, refunds that are divided into parts (one for each tranche they take
 * from), what the provider holds for each key, disputes, and nodes that do one step at a time and may die between any two. Amounts
 * are units. Nothing here is imported from src.
 */

export type PartStatus = 'waiting' | 'sent' | 'succeeded' | 'failed';

/** What the provider holds for one key. `wire`: the request has left and has not arrived. `unfunded`: failed for good, unpaid. */
export type Held = 'absent' | 'wire' | 'pending' | 'paid' | 'refused' | 'unfunded';

export interface Part {
  tranche: number;
  units: number;
  status: PartStatus;
  /** Number of the provider key under which it was sent last. */
  key: number;
  /** The provider moves no money under that key any more: it is sent again under the next one. */
  spent: boolean;
  /** How many times it was marked as sent. */
  sending: number;
  /** By key. */
  held: readonly Held[];
}

export interface Refund {
  status: string;
  parts: readonly Part[];
  /** Its money was taken from the balance. */
  drawn: boolean;
  /** Units given back to the balance, and how many times. */
  returned: number;
  returns: number;
  /** How many times it ended. */
  ends: number;
  /** A worker will look at it again. */
  due: boolean;
}

export interface Payment {
  status: string;
  /** Units captured by each tranche. */
  tranches: readonly number[];
  refunded: number;
  refunds: readonly Refund[];
  disputes: readonly { status: string; units: number }[];
}

/** Outcome of a submission or a poll, as the program's providers report it. */
export type Outcome = 'pending' | 'paid' | 'refused' | 'unavailable' | 'unfunded' | 'absent' | 'unknown';
export const OUTCOMES: readonly Outcome[] = ['pending', 'paid', 'refused', 'unavailable', 'unfunded', 'absent', 'unknown'];

/** The part as it was when the provider was called. */
export interface Known {
  key: number;
  sending: number;
  /** Another worker has claimed the refund since. */
  overtaken: boolean;
}

export type Node =
  | { at: 'idle' }
  /** Has read what is left to refund, without a lock. Only a planted defect does this. */
  | { at: 'counted'; payment: number; left: number }
  | ({ at: 'claimed'; payment: number; refund: number; part: number; polls: boolean } & Known)
  | ({ at: 'marked'; payment: number; refund: number; part: number } & Known)
  | ({ at: 'answered'; payment: number; refund: number; part: number; outcome: Outcome } & Known);

export interface World {
  payments: readonly Payment[];
  /** Units that the merchant can use; below zero: advanced by the platform. */
  available: number;
  withdrawn: number;
  nodes: readonly Node[];
  crashes: number;
}

export interface Rules {
  crashes: number;
  /** Refunds for each payment, submissions for each part, keys for each part. */
  refunds: number;
  sendings: number;
  keys: number;
  disputes: number;
  withdrawals: number;
  /** A person may close a part that is at the provider as failed, rightly or not, and report later that the payer has the money. */
  people: boolean;
  planted?:
    | 'lost_is_decline'
    | 'new_key_when_absent'
    | 'stale_unfunded'
    | 'parts_together'
    | 'counts_without_lock'
    | 'refunds_despite_dispute'
    | 'disputes_despite_refund'
    | 'returns_everything'
    | 'fails_twice'
    | 'sent_is_not_due'
    | 'pending_is_paid'
    | undefined;
}

export const sum = (list: readonly number[]): number => list.reduce((total, one) => total + one, 0);

export function isFinal({ status }: Refund): boolean {
  return status === 'succeeded' || status === 'failed';
}

/** Units of a refund that may still reach the payer and are not counted as refunded yet. */
export function underWay(refund: Refund): number {
  const may = refund.parts.filter(({ status }) => status === 'sent' || (status !== 'succeeded' && !isFinal(refund)));
  return sum(may.map(({ units }) => units));
}

export function leftOf({ tranches, refunded, refunds }: Payment): number {
  return sum(tranches) - refunded - sum(refunds.map(underWay));
}

export function isBlocked({ disputes }: Payment): boolean {
  return disputes.some(({ status }) => ['needs_response', 'under_review', 'lost'].includes(status));
}

export function isRefundable({ status }: Payment): boolean {
  return status === 'succeeded' || status === 'partially_refunded';
}

/** Returns the part to send or to poll next, or null. */
export function currentPart(refund: Refund, rules?: Rules): number | null {
  const { parts } = refund;
  const sent = parts.findIndex(({ status }) => status === 'sent');
  const waiting = parts.findIndex(({ status }) => status === 'waiting');
  if (rules?.planted === 'parts_together' && waiting >= 0) return waiting;
  if (sent >= 0) return sent;
  if (isFinal(refund) || parts.some(({ status }) => status === 'failed')) return null;
  return waiting >= 0 ? waiting : null;
}

/** Divides a refund into parts: the latest tranche first, and never more from a tranche than it has left. */
export function divided({ tranches, refunds }: Payment, units: number): Part[] {
  const parts: Part[] = [];
  let missing = units;
  for (let tranche = tranches.length - 1; tranche >= 0 && missing > 0; tranche--) {
    const taken = refunds.flatMap((refund) =>
      refund.parts.filter(
        ({ tranche: from, status }) =>
          from === tranche && status !== 'failed' && (refund.status !== 'failed' || status === 'sent' || status === 'succeeded'),
      ),
    );
    const share = Math.min(missing, (tranches[tranche] as number) - sum(taken.map((part) => part.units)));
    if (share <= 0) continue;
    parts.push({ tranche, units: share, status: 'waiting', key: 0, spent: false, sending: 0, held: ['absent'] });
    missing -= share;
  }
  return parts;
}

/** Returns a refund that is being created. */
export function created(payment: Payment, units: number, drawn: boolean): Refund {
  const parts = divided(payment, units);
  return { status: 'pending', parts, drawn, returned: 0, returns: 0, ends: 0, due: true };
}

export function withPart(refund: Refund, index: number, change: Partial<Part>): Refund {
  return { ...refund, parts: refund.parts.map((part, i) => (i === index ? { ...part, ...change } : part)) };
}

/** Marks a part as sent, or returns null when it must not be sent. */
export function marked(refund: Refund, index: number, rules?: Rules): Refund | null {
  const part = refund.parts[index];
  if (!refund.drawn || currentPart(refund, rules) !== index || part?.status !== 'waiting') return null;
  const renewed = part.spent ? { key: part.key + 1, spent: false, held: [...part.held, 'absent' as const] } : {};
  const sent = withPart(refund, index, { status: 'sent', sending: part.sending + 1, ...renewed });
  const due = rules?.planted !== 'sent_is_not_due';
  return { ...sent, status: nextOf('refund', refund.status, 'sent') ?? refund.status, due };
}

/** Applies the outcome of a call, under the lock of the payment. Units that return to the balance are in `returned`. */
export function afterOutcome(payment: Payment, r: number, p: number, known: Known, outcome: Outcome, rules: Rules): Payment {
  const refund = payment.refunds[r] as Refund;
  const part = refund.parts[p] as Part;
  const put = (after: Refund): Payment => ({ ...payment, refunds: payment.refunds.map((old, i) => (i === r ? after : old)) });
  const stale = rules.planted === 'stale_unfunded' && outcome === 'unfunded';
  if (part.status === 'succeeded' || (part.key !== known.key && !stale)) return payment;
  if (outcome === 'paid' || (outcome === 'pending' && rules.planted === 'pending_is_paid')) {
    // Money that was given back when the refund failed is taken again: the payer has it.
    const taken = isFinal(refund) ? { ...refund, returned: refund.returned - part.units } : refund;
    return refunded(put(ended(withPart(taken, p, { status: 'succeeded' }), rules)), part.units);
  }
  const again = rules.planted === 'fails_twice' && outcome === 'refused' && part.status === 'failed';
  if ((part.status !== 'sent' && !again) || (part.sending !== known.sending && !stale)) return payment;
  const waits = (change: Partial<Part>): Payment => {
    const after = withPart(refund, p, { status: 'waiting', ...change });
    return put({ ...after, due: !isFinal(refund) });
  };
  switch (outcome) {
    case 'refused':
      return put(ended(withPart(refund, p, { status: 'failed' }), rules));
    case 'unavailable':
      return known.overtaken ? payment : waits({});
    case 'unfunded':
      if (known.overtaken && !stale) return payment;
      return waits({ spent: true });
    case 'absent':
      if (known.overtaken) return payment;
      return rules.planted === 'new_key_when_absent' ? waits({ key: part.key + 1, held: [...part.held, 'absent'] }) : waits({});
    case 'unknown':
      if (rules.planted === 'lost_is_decline') return put(ended(withPart(refund, p, { status: 'failed' }), rules));
      return payment;
    case 'pending':
      return payment;
  }
}

/** Counts what reached the payer, up to what was captured. */
function refunded(payment: Payment, units: number): Payment {
  const total = Math.min(payment.refunded + units, sum(payment.tranches));
  if (total === payment.refunded) return payment;
  const trigger = total < sum(payment.tranches) ? 'part_refunded' : 'fully_refunded';
  return { ...payment, refunded: total, status: nextOf('payment', payment.status, trigger) ?? payment.status };
}

/** Ends the refund when no part can succeed any more; the money that did not reach the payer returns once. */
function ended(refund: Refund, rules: Rules): Refund {
  const undecided = refund.parts.some(({ status }) => status === 'sent');
  if (isFinal(refund) && rules.planted !== 'fails_twice') return { ...refund, due: undecided };
  const unspent = refund.parts.filter(({ status }) => status !== 'succeeded');
  const left = sum(unspent.map(({ units }) => units));
  if (undecided || currentPart(refund) !== null) return { ...refund, due: true };
  const trigger = unspent.length === 0 ? 'succeeded' : 'failed';
  const status = nextOf('refund', refund.status, trigger) ?? refund.status;
  const all = rules.planted === 'returns_everything' ? sum(refund.parts.map(({ units }) => units)) : left;
  const back = trigger === 'failed' ? { returned: refund.returned + all, returns: refund.returns + 1 } : {};
  return { ...refund, ...back, status, ends: refund.ends + 1, due: false };
}
