import { nextOf } from '../machines.ts';

/*
 * A small model of charging: payments, their attempts, what the provider really holds, and nodes (processes) that each do one step
 * at a time and may die between any two. Amounts are units: a payment of one unit takes one attempt, one of two units two tranches.
 * Nothing here is imported from src; code.ts compares the effects of reports with the program's.
 */

export type AttemptStatus = 'created' | 'open' | 'unknown' | 'succeeded' | 'failed' | 'expired' | 'unavailable';

/** What the provider holds for an attempt. `wire`: the request has left and has not arrived yet. */
export type Held = 'absent' | 'wire' | 'pending' | 'paid' | 'refused';

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
export type Response = 'accepted' | 'paid' | 'refused' | 'unavailable' | 'lost';
/** Result of a poll. `absent_long`: not found, and the grace period is over. */
export type Reading = 'pending' | 'paid' | 'refused' | 'absent' | 'absent_long';

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
  /** Planted defects. */
  planted?:
    | 'lost_is_decline'
    | 'no_mark'
    | 'early_absent'
    | 'owes_nothing'
    | 'charges_beside_unknown'
    | 'late_ignored'
    | undefined;
}

export function isOpen({ status }: Attempt): boolean {
  return status === 'created' || status === 'open' || status === 'unknown';
}

export function isUnderWay(attempt: Attempt): boolean {
  return isOpen(attempt) || attempt.watched;
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
    const late = ({ accepted: 'there', lost: 'perhaps', paid: 'paid', refused: 'nothing', unavailable: 'nothing' } as const)[
      response
    ];
    return afterLate(payment, index, late, rules);
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
        ? withAttempt(payment, index, { status: statusAfter(attempt, 'unavailable'), marked: false })
        : payment;
    case 'refused':
      return withAttempt(triggered(payment, 'declined'), index, { status: statusAfter(attempt, 'declined'), marked: true });
    case 'paid':
      return captured(submitted, index, rules);
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
    case 'refused':
      return withAttempt(triggered(before, 'declined'), index, { status: statusAfter(attempt, 'declined'), marked: true });
    case 'pending':
      return withAttempt(before, index, { status: statusAfter(attempt, 'pending'), marked: true });
    case 'absent':
    case 'absent_long': {
      const proven = (reading === 'absent_long' && attempt.status !== 'open') || rules.planted === 'early_absent';
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
  report: 'there' | 'perhaps' | 'paid' | 'refused' | 'absent' | 'absent_long' | 'nothing',
  rules: Rules,
): Payment {
  const attempt = payment.attempts[index] as Attempt;
  if (attempt.status === 'succeeded' || rules.planted === 'late_ignored') return payment;
  switch (report) {
    case 'paid':
      return captured(payment.status === 'pending' ? triggered(payment, 'submitted') : payment, index, rules);
    case 'there':
    case 'perhaps': {
      if (attempt.status !== 'expired' && attempt.status !== 'unavailable') return payment;
      const free = payment.attempts.every((other, i) => i === index || !isUnderWay(other));
      if ((payment.status === 'partial' || payment.status === 'pending') && free) {
        const [there, perhaps] = attempt.status === 'expired' ? ['found', 'perhaps_found'] : ['pending', 'unclear'];
        const status = statusAfter(attempt, report === 'there' ? there : perhaps);
        return withAttempt(triggered(payment, 'submitted'), index, { status, watched: false, marked: true });
      }
      return withAttempt(payment, index, { watched: true, marked: true });
    }
    case 'refused':
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
  const paid = withAttempt(payment, index, { status: reached, watched: false, marked: true });
  const kept = payment.kept + 1;
  const trigger = kept < payment.total ? 'part_captured' : 'captured';
  const status = kept <= payment.total ? nextOf('payment', payment.status, trigger) : null;
  return status === null ? withAttempt(paid, index, { owed: rules.planted !== 'owes_nothing' }) : { ...paid, status, kept };
}

/** Ends an unpaid payment whose window has elapsed: what it had kept is owed. */
export function afterWindow(payment: Payment): Payment {
  if (payment.attempts.some(isOpen)) return payment;
  const ended = triggered(payment, 'window_elapsed');
  if (ended === payment) return payment;
  const attempts = ended.attempts.map((attempt) => (attempt.status === 'succeeded' ? { ...attempt, owed: true } : attempt));
  return { ...ended, kept: 0, attempts };
}
