import { nextOf } from '../machines.ts';

/*
 * A small model of charging: payments, their attempts, what the provider really holds, and nodes (processes) that each do one step
 * at a time and may die between any two. Amounts are units: a payment of one unit takes one attempt, one of two units two tranches.
 * Nothing here is imported from src; code.ts compares the effects of reports with the program's.
 */

export type AttemptStatus = 'created' | 'open' | 'unknown' | 'succeeded' | 'failed' | 'cancelled' | 'expired' | 'unavailable';

/**
 * What the provider holds for an attempt. `wire`: the request has left and has not arrived yet; `other`: paid, but another amount;
 * `cancelled`: by the payer; `lapsed`: the payer did nothing in time.
 */
export type Held = 'absent' | 'wire' | 'pending' | 'paid' | 'other' | 'refused' | 'cancelled' | 'lapsed';

export interface Attempt {
  status: AttemptStatus;
  /** Marked as submitted: from here on the request may leave. */
  marked: boolean;
  /** Closed, but still polled: the provider had it after all, or does not show it yet. */
  watched: boolean;
  /** The captured money must be returned to the payer. */
  owed: boolean;
  held: Held;
  /** A callback has reported that it was paid. */
  told: boolean;
  /** It is expired because its provider says so, not because it apparently never arrived. */
  lapsed: boolean;
  /** Another amount has arrived for it, is set aside, and waits for a decision. */
  aside: boolean;
  /** As what a person resolved it, if anybody did. */
  resolved: 'succeeded' | 'failed' | null;
  /** That person knew of the other amount. */
  known: boolean;
}

export interface Payment {
  status: string;
  total: number;
  /** Units captured and kept. */
  kept: number;
  /** The window has elapsed. */
  over: boolean;
  attempts: readonly Attempt[];
}

/** Response to a submission. `lost`: none came, or an unclear one. */
export type Response = 'accepted' | 'paid' | 'other' | 'refused' | 'unavailable' | 'lost';
/** Result of a poll. `absent_long`: not found, and the grace period is over. */
export type Reading = 'pending' | 'paid' | 'other' | 'refused' | 'cancelled' | 'lapsed' | 'absent' | 'absent_long';

export type Node =
  | { at: 'idle' }
  /** The intent is committed. */
  | { at: 'begun'; payment: number; attempt: number }
  | { at: 'marked'; payment: number; attempt: number }
  | { at: 'answered'; payment: number; attempt: number; response: Response }
  | { at: 'polled'; payment: number; attempt: number; reading: Reading; marked: boolean };

export interface World {
  payments: readonly Payment[];
  nodes: readonly Node[];
  crashes: number;
}

/** Rules of the model that a test breaks on purpose, to show that the exploration notices. */
export interface Rules {
  crashes: number;
  attempts: number;
  /** A node may pause between the mark and the request for longer than the grace period of "not found". */
  longPauses: boolean;
  /** Providers send callbacks when a payer pays, so that an attempt is noticed though nothing polls it. */
  callbacks: boolean;
  /** Payers also cancel, let charges lapse and pay other amounts, and a person resolves attempts. */
  endings: boolean;
  /** Planted defects. */
  planted?:
    | 'lost_is_decline'
    | 'no_mark'
    | 'early_absent'
    | 'owes_nothing'
    | 'charges_beside_unknown'
    | 'late_ignored'
    | 'other_amount_freed'
    | 'other_amount_captured'
    | 'decision_forgotten'
    | undefined;
}

export function isOpen({ status }: Attempt): boolean {
  return status === 'created' || status === 'open' || status === 'unknown';
}

export function isUnderWay(attempt: Attempt): boolean {
  return isOpen(attempt) || attempt.watched || attempt.aside;
}

/** Whether its provider ended it: it did not turn it away, and we did not close it as never arrived or by a person's word. */
function endedByProvider({ status, lapsed, resolved }: Attempt): boolean {
  return status !== 'unavailable' && (status !== 'expired' || lapsed) && resolved !== 'failed';
}

export function isUnpaid({ status }: Payment): boolean {
  return status === 'failed' || status === 'cancelled' || status === 'expired';
}

/** Applies a trigger to a payment that allows it; otherwise nothing changes. */
function triggered(payment: Payment, trigger: string): Payment {
  const status = nextOf('payment', payment.status, trigger);
  return status === null ? payment : { ...payment, status };
}

function withAttempt(payment: Payment, index: number, change: Partial<Attempt>): Payment {
  return { ...payment, attempts: payment.attempts.map((attempt, i) => (i === index ? { ...attempt, ...change } : attempt)) };
}

/** Returns the status of an attempt after a trigger. */
function statusAfter({ status }: Attempt, trigger: string): AttemptStatus {
  return (nextOf('attempt', status, trigger) ?? status) as AttemptStatus;
}

/** Applies the response to a submission, under the lock of the payment. */
export function afterResponse(payment: Payment, index: number, response: Response, rules: Rules): Payment {
  const attempt = payment.attempts[index] as Attempt;
  if (!isOpen(attempt)) {
    // A late refusal changes nothing: the poll that is still planned reports it too.
    const kinds = {
      accepted: 'there',
      lost: 'perhaps',
      paid: 'paid',
      other: 'other',
      refused: 'nothing',
      unavailable: 'nothing',
    } as const;
    return afterLate(payment, index, kinds[response], rules);
  }
  const submitted = triggered(payment, 'submitted');
  switch (response) {
    case 'accepted':
      return withAttempt(submitted, index, { status: statusAfter(attempt, 'accepted'), marked: true });
    case 'lost':
      if (rules.planted === 'lost_is_decline') return withAttempt(triggered(payment, 'declined'), index, { status: 'failed' });
      return withAttempt(submitted, index, { status: statusAfter(attempt, 'unclear'), marked: true });
    case 'unavailable':
      return attempt.status === 'created'
        ? withAttempt(payment, index, { status: statusAfter(attempt, 'unavailable'), marked: false, aside: false })
        : payment;
    case 'refused':
      return ended(payment, index, 'declined');
    case 'paid':
      return captured(submitted, index, rules);
    case 'other':
      return setAside(submitted, index, rules);
  }
}

/** Applies the result of a poll, under the lock of the payment. */
export function afterReading(payment: Payment, index: number, reading: Reading, rules: Rules): Payment {
  const attempt = payment.attempts[index] as Attempt;
  if (!isOpen(attempt)) return afterLate(payment, index, reading === 'pending' ? 'there' : reading, rules);
  const before = attempt.status === 'created' ? triggered(payment, 'submitted') : payment;
  switch (reading) {
    case 'paid':
      return captured(before, index, rules);
    case 'other':
      return setAside(before, index, rules);
    case 'refused':
      return ended(before, index, 'declined');
    case 'cancelled':
      return ended(before, index, 'payer_cancelled');
    case 'lapsed':
      return lapsed(before, index);
    case 'pending':
      return withAttempt(before, index, { status: statusAfter(attempt, 'pending'), marked: true });
    case 'absent':
    case 'absent_long': {
      const arrived = attempt.status === 'open' || attempt.aside;
      const proven = (reading === 'absent_long' && !arrived) || rules.planted === 'early_absent';
      if (!proven) return withAttempt(before, index, { status: statusAfter(attempt, 'absent'), marked: true });
      const closed = withAttempt(before, index, { status: 'expired' });
      return before.status === 'partial' ? closed : triggered(closed, payment.over ? 'window_elapsed' : 'declined');
    }
  }
}

/** Applies a report about an attempt that is closed. `there`: the provider has it; `perhaps`: it may have it. */
function afterLate(
  payment: Payment,
  index: number,
  report: 'there' | 'perhaps' | 'paid' | 'other' | 'refused' | 'cancelled' | 'lapsed' | 'absent' | 'absent_long' | 'nothing',
  rules: Rules,
): Payment {
  const attempt = payment.attempts[index] as Attempt;
  if (attempt.status === 'succeeded' || rules.planted === 'late_ignored') return payment;
  switch (report) {
    case 'paid':
      return captured(payment.status === 'pending' ? triggered(payment, 'submitted') : payment, index, rules);
    case 'other':
      // The same amount again: it is set aside, or a person has decided about it.
      if (attempt.aside || attempt.known || rules.planted === 'other_amount_freed')
        return withAttempt(payment, index, { watched: false });
      return withAttempt(payment, index, { watched: false, aside: true });
    case 'there':
    case 'perhaps': {
      if (endedByProvider(attempt)) return payment;
      const free = payment.attempts.every((other, i) => i === index || !isUnderWay(other));
      const decided = attempt.resolved === 'failed';
      if ((payment.status === 'partial' || payment.status === 'pending') && free && !decided) {
        const [there, perhaps] = attempt.status === 'expired' ? ['found', 'perhaps_found'] : ['pending', 'unclear'];
        const status = statusAfter(attempt, report === 'there' ? there : perhaps);
        return withAttempt(triggered(payment, 'submitted'), index, { status, watched: false, marked: true });
      }
      return withAttempt(payment, index, { watched: true, marked: true });
    }
    case 'refused':
    case 'cancelled':
    case 'lapsed':
    case 'absent_long':
      return attempt.watched ? withAttempt(payment, index, { watched: false }) : payment;
    case 'absent':
      // Within the grace period this proves nothing.
      return withAttempt(payment, index, { watched: true });
    default:
      return payment;
  }
}

/** Books captured money: it is kept as far as the payment takes it, else it is owed to the payer. */
function captured(payment: Payment, index: number, rules: Rules): Payment {
  const reached = statusAfter(payment.attempts[index] as Attempt, 'captured');
  const { aside, resolved, known } = payment.attempts[index] as Attempt;
  const decided = { aside: false, lapsed: false, known: known || (aside && resolved !== null) };
  const paid = withAttempt(payment, index, { status: reached, watched: false, marked: true, ...decided });
  const kept = payment.kept + 1;
  const trigger = kept < payment.total ? 'part_captured' : 'captured';
  const status = kept <= payment.total ? nextOf('payment', payment.status, trigger) : null;
  return status === null ? withAttempt(paid, index, { owed: rules.planted !== 'owes_nothing' }) : { ...paid, status, kept };
}

/** Ends an open attempt without money, and its payment unless that is partly paid. What was set aside for it did not move after all. */
function ended(payment: Payment, index: number, trigger: 'declined' | 'payer_cancelled'): Payment {
  const status = statusAfter(payment.attempts[index] as Attempt, trigger);
  return withAttempt(triggered(payment, trigger), index, { status, marked: true, aside: false });
}

/** Ends an open attempt that its provider let lapse, and its payment, which is over then if its window is. */
function lapsed(payment: Payment, index: number): Payment {
  const status = statusAfter(payment.attempts[index] as Attempt, 'timed_out');
  const closed = withAttempt(payment, index, { status, lapsed: true, aside: false });
  return payment.over ? afterWindow(closed) : triggered(closed, 'declined');
}

/** Sets another amount than the requested one aside until somebody decides about it. */
function setAside(payment: Payment, index: number, rules: Rules): Payment {
  if (rules.planted === 'other_amount_captured') return captured(payment, index, rules);
  const status = statusAfter(payment.attempts[index] as Attempt, 'other_amount');
  return withAttempt(payment, index, { status, marked: true, aside: true });
}

/** Applies what a person has resolved. Null: the attempt is decided already. */
export function afterResolution(payment: Payment, index: number, as: 'succeeded' | 'failed', rules: Rules): Payment | null {
  const attempt = payment.attempts[index] as Attempt;
  if (attempt.status === 'succeeded' || (as === 'failed' && !isUnderWay(attempt))) return null;
  const known = attempt.aside || (attempt.known && rules.planted !== 'decision_forgotten');
  const resolution = { resolved: as, known };
  if (as === 'succeeded') {
    const sent = payment.status === 'pending' ? triggered(payment, 'submitted') : payment;
    return withAttempt(captured(sent, index, rules), index, resolution);
  }
  const closed = isOpen(attempt) ? ended(payment, index, 'declined') : payment;
  return withAttempt(closed, index, { ...resolution, watched: false, aside: false });
}

/** Ends an unpaid payment whose window has elapsed: what it had kept is owed. */
export function afterWindow(payment: Payment): Payment {
  if (payment.attempts.some((attempt) => isOpen(attempt) || (payment.status !== 'processing' && attempt.aside))) return payment;
  const over = triggered(payment, 'window_elapsed');
  if (over === payment) return payment;
  const attempts = over.attempts.map((attempt) => (attempt.status === 'succeeded' ? { ...attempt, owed: true } : attempt));
  return { ...over, kept: 0, attempts };
}
