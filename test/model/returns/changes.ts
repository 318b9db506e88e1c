import {
  type At,
  failedOf,
  hasNews,
  isClosed,
  isOpen,
  isOver,
  isSameSubmission,
  needsWorker,
  type Outcome,
  type Planted,
  type Read,
  type Ref,
  type Return,
  startedWay,
  type State,
  timesPaid,
  type Way,
  wayOf,
  withWay,
} from './world.ts';

/* What each transaction of the program makes of a return and of the refund and payouts that carry it out. */

export type Trigger =
  | 'refund_started'
  | 'payout_started'
  | 'way_failed'
  | 'returned_to_payer'
  | 'options_exhausted'
  | 'returned_twice'
  | 'retried'
  | 'resolved';

const NEXT: Record<State, Partial<Record<Trigger, State>>> = {
  owed: {
    ...{ refund_started: 'refunding', payout_started: 'paying_out', returned_to_payer: 'returned' },
    ...{ options_exhausted: 'waiting', returned_twice: 'overpaid', resolved: 'resolved' },
  },
  refunding: { way_failed: 'owed', returned_to_payer: 'returned', payout_started: 'paying_out' },
  paying_out: { way_failed: 'owed', returned_to_payer: 'returned', returned_twice: 'overpaid' },
  waiting: { returned_to_payer: 'returned', returned_twice: 'overpaid', retried: 'owed', resolved: 'resolved' },
  overpaid: { resolved: 'resolved' },
  returned: { returned_twice: 'overpaid' },
  resolved: { returned_twice: 'overpaid' },
};

export function nextOf(state: State, trigger: Trigger): State | null {
  return NEXT[state][trigger] ?? null;
}

function moved(row: Return, trigger: Trigger, at: At, change: Partial<Return> = {}): Return {
  const state = nextOf(row.state, trigger);
  if (state === null) return row;
  const step = needsWorker({ ...row, ...change, state }) ? at.n : null;
  return { ...row, step, ...change, state, updated: at };
}

const endTrigger = (times: number) => (times > 1 ? 'returned_twice' : 'returned_to_payer');

function wayEnded(row: Return, isManual: boolean, end: 'succeeded' | 'failed', at: At): Return {
  if (isClosed(row) && isManual) return row;
  const times = timesPaid(row) + (end === 'succeeded' ? 1 : 0);
  return times === 0 ? moved(row, 'way_failed', at, { claims: at.n }) : moved(row, endTrigger(times), at, { times });
}

function lateSuccess(row: Return, at: At, planted?: Planted): Return {
  const update = { late: true, times: timesPaid(row) + (planted === 'late_uncounted' ? 0 : 1) };
  if (isClosed(row)) return moved(row, 'returned_twice', at, update);
  return { ...row, ...update, step: row.state === 'overpaid' && !row.recheck ? null : at.n, updated: at };
}

function markedWay(way: Way, at: At): Way {
  const renewed = way.spent ? { key: way.key + 1, spent: false, resent: false, held: [...way.held, 'absent' as const] } : {};
  return { ...way, ...renewed, part: 'sent', sent: at, sends: way.sends + 1, status: 'processing', poll: at.n };
}

/** Ends a refund or payout; what did not reach the payer is in suspense again. */
function finished(row: Return, ref: Ref, end: 'succeeded' | 'failed', at: At): Return {
  const books =
    end === 'succeeded' ? { transit: row.transit - 1, gone: row.gone + 1 } : { transit: row.transit - 1, hold: row.hold + 1 };
  return wayEnded({ ...withWay(row, ref, { status: end, poll: null, ended: at }), ...books }, false, end, at);
}

/** Ends what its provider reports as failed; after news it is read again. */
function failed(row: Return, ref: Ref, news: boolean, at: At): Return {
  const ended = finished(withWay(row, ref, { part: 'failed' }), ref, 'failed', at);
  return news ? readAgain(ended, ref, at) : ended;
}

/** When it is polled after an answer that decides nothing: a poll that was scheduled since the provider was asked is kept. */
function laterPoll(now: number | null, known: number | null, at: At): number {
  return now !== null && now !== known ? now : at.n;
}

/** Applies what a provider, or a person, says about a refund; and the end of a payout. @param known the way when it was asked about */
export function afterRefund(row: Return, ref: Ref, known: Way, outcome: Outcome, at: At, planted?: Planted): Return {
  const way = wayOf(row, ref);
  if (way.part === 'succeeded' || way.key !== known.key) return row;
  if (outcome === 'paid') {
    const paid = withWay(row, ref, { part: 'succeeded' });
    if (isOpen(way)) return finished(paid, ref, 'succeeded', at);
    const late = lateSuccess({ ...paid, hold: row.hold - 1, gone: row.gone + 1 }, at, planted);
    return withWay(late, ref, { poll: null });
  }
  if (way.part === 'failed' && outcome === 'pending') return readAgain(row, ref, at);
  if (way.part !== 'sent' || way.sent?.n !== known.sent?.n) return row;
  const news = way.claims !== known.claims || (way.poll !== null && way.poll !== known.poll);
  const poll = laterPoll(way.poll, known.poll, at);
  const waits = (change: Partial<Way>) => withWay(row, ref, { poll, ...(news ? {} : { part: 'waiting', ...change }) });
  switch (outcome) {
    case 'refused':
      return failed(row, ref, news && planted !== 'refund_failure_outruns_callback', at);
    case 'unavailable':
      return waits({});
    case 'absent_long':
      return waits({ resent: true });
    case 'unfunded':
      return waits({ spent: true });
    case 'pending':
      return withWay(row, ref, { poll, spent: false });
    default:
      if (planted === 'lost_is_failure') return afterRefund(row, ref, known, 'refused', at);
      return withWay(row, ref, { poll });
  }
}

/** Commits that a refund is about to be sent, or returns null. */
export function refundMarked(row: Return, at: At): Return | null {
  const way = row.refund;
  if (!isOpen(way) || way.part !== 'waiting') return null;
  return { ...row, refund: markedWay(way, at) };
}

/** Ends a refund or payout in any state of its part. */
function endWay(row: Return, ref: Ref, outcome: 'paid' | 'refused', at: At): Return {
  const way = wayOf(row, ref);
  const sent = way.part === 'waiting' ? withWay(row, ref, markedWay(way, at)) : row;
  return afterRefund(sent, ref, wayOf(sent, ref), outcome, at);
}

function readAgain(row: Return, ref: Ref, at: At): Return {
  return ref === 'refund' ? refundCalledBack(row, at) : payoutCalledBack(row, false, at);
}

/** Makes the worker read a failed refund again. */
function refundCalledBack(row: Return, at: At): Return {
  const failed = row.refund?.status === 'failed' && row.refund.part === 'failed';
  return failed ? { ...row, recheck: true, step: at.n, updated: at } : row;
}

/** What a callback about the payout under way or a failed one changes. @param named its account has called back */
export function payoutCalledBack(row: Return, named: boolean, at: At, planted?: Planted): Return {
  const failed = failedOf(row).some((ref) => ref !== 'refund');
  if (row.state !== 'paying_out' && !failed) return row;
  const current = row.current === null ? undefined : row.payouts[row.current];
  const turnedAway = named && current?.part === 'waiting' && current.addressed && row.state === 'paying_out';
  const dispatched = turnedAway && planted !== 'turned_away_is_unsent' ? (row.dispatched ?? at) : row.dispatched;
  const updated = failed ? at : row.updated;
  return { ...row, step: at.n, recheck: row.recheck || failed, dispatched, updated };
}

/** Applies a callback about a refund or payout. */
export function calledBack(row: Return, ref: Ref, at: At, planted?: Planted): Return {
  if (planted === 'closed_is_deaf' && isClosed(row)) return row;
  if (ref !== 'refund') return payoutCalledBack(row, true, at, planted);
  const way = row.refund as Way;
  const turnedAway = isOpen(way) && way.part === 'waiting' && way.sent !== null;
  const polled = {
    ...(turnedAway ? { part: 'sent' as const } : {}),
    ...(way.status === 'processing' ? { poll: at.n } : {}),
  };
  return refundCalledBack(withWay(row, 'refund', polled), at);
}

/** A change under the lock, which does nothing when the state has changed since the row was read. */
function locked(row: Return, known: Return, change: () => Return): Return {
  return row.state === known.state ? change() : row;
}

/** The same, also not after news. */
function withoutNews(row: Return, known: Return, change: () => Return): Return {
  return locked(row, known, () => (hasNews(row, known) ? row : change()));
}

export function postponed(row: Return, known: Return, at: At, change: Partial<Return> = {}): Return {
  return withoutNews(row, known, () => ({ ...row, ...change, step: at.n }));
}

export function refundStarted(row: Return, known: Return, at: At): Return {
  return withoutNews(row, known, () => {
    const books = { hold: row.hold - 1, transit: row.transit + 1 };
    return moved(row, 'refund_started', at, { ...books, refund: startedWay(at.n), manual: null, step: at.n });
  });
}

export function payoutStarted(row: Return, known: Return, at: At): Return {
  return withoutNews(row, known, () =>
    moved(row, 'payout_started', at, {
      ...{ hold: row.hold - 1, transit: row.transit + 1, payouts: [...row.payouts, startedWay(null, row.spent)] },
      ...{ current: row.payouts.length, manual: null, tried: false, resent: false, dispatched: null, claims: at.n },
    }),
  );
}

export function leftToPerson(row: Return, known: Return, at: At, change: Partial<Return> = {}): Return {
  return withoutNews(row, known, () => moved(row, 'options_exhausted', at, { ...change, manual: row.manual ?? 'pending' }));
}

/** Looks at a refund under way, which ends by itself. */
export function refundLookedAt(row: Return, known: Return, at: At): Return {
  return locked(row, known, () => ({ ...row, step: at.n }));
}

/** Ends what is open of a return whose refund was done after all; null while a payout may be with its provider. */
export function closedLate(row: Return, known: Return, at: At): Return | null {
  if (row.state !== known.state) return row;
  const payout = row.state === 'paying_out' ? (row.current as number) : null;
  if (payout !== null && (wayOf(row, payout).part === 'sent' || row.dispatched !== null)) return null;
  if (payout !== null && isOpen(wayOf(row, payout))) return endWay(row, payout, 'refused', at);
  if (payout === null && row.manual === 'pending') return wayEnded({ ...row, manual: 'ended' }, true, 'failed', at);
  return moved(row, endTrigger(timesPaid(row)), at);
}

/** Counts a payout as sent whose account has called back after it had turned it away. */
export function countedAsSent(row: Return, known: Return, at: At): Return {
  const ref = known.current as number;
  return locked(row, known, () => {
    if (wayOf(row, ref).part !== 'waiting' || row.dispatched === null) return row;
    return { ...withWay(row, ref, { part: 'sent' }), step: at.n };
  });
}

/** Commits that a payout is about to be sent, or returns null. */
export function payoutMarked(row: Return, known: Return, at: At, planted?: Planted): Return | null {
  const ref = known.current as number;
  if (row.state !== known.state || !isSameSubmission(row, known) || hasNews(row, known)) return null;
  if ((row.late && planted !== 'sends_after_late_refund') || (row.recheck && planted !== 'sends_beside_recheck')) return null;
  const way = wayOf(row, ref);
  if (way.part !== 'sent' && (!isOpen(way) || way.part !== 'waiting')) return null;
  const key = known.dispatched === null ? row.spent : way.key;
  const held = way.held.length > key ? way.held : [...way.held, 'absent' as const];
  const sent = way.part === 'sent' ? way : { ...markedWay(way, at), poll: null };
  const resent = known.dispatched !== null;
  const change = { ...sent, key, held, sent: at, addressed: true, sends: way.sends + 1 };
  return { ...withWay(row, ref, change), resent, dispatched: at, step: at.n };
}

/** Ends a payout that was never sent, because no account can pay it any more. */
export function payoutGivenUp(row: Return, known: Return, at: At): Return {
  return locked(row, known, () =>
    row.dispatched !== null || hasNews(row, known) ? row : endWay(row, known.current as number, 'refused', at),
  );
}

/** Ends a payout that never arrived and is no longer needed. */
export function payoutNotNeeded(row: Return, known: Return, at: At): Return {
  return locked(row, known, () =>
    !isSameSubmission(row, known) || hasNews(row, known) ? row : endWay(row, known.current as number, 'refused', at),
  );
}

/** The only account has turned it away: it is tried again later. */
export function triedAgain(row: Return, known: Return, at: At): Return {
  return withoutNews(row, known, () => ({ ...row, tried: false, step: at.n }));
}

/** Applies an answer about a payout; null when it is about an earlier submission or the payout has ended. */
export function afterPayout(
  row: Return,
  known: Return,
  call: 'submit' | 'read',
  outcome: Outcome,
  at: At,
  planted?: Planted,
): Return | null {
  if (row.state !== known.state || !isSameSubmission(row, known)) return null;
  const ref = known.current as number;
  const news = hasNews(row, known);
  const later = { ...row, step: laterPoll(row.step, known.step, at) };
  const unsent = (spent: number): Return => ({
    ...withWay(row, ref, { part: 'waiting' }),
    ...{ dispatched: null, resent: false, tried: true, spent, step: at.n },
  });
  switch (outcome) {
    case 'paid':
      return endWay(row, ref, 'paid', at);
    case 'refused': {
      const ended = endWay(row, ref, 'refused', at);
      return news && planted !== 'failure_outruns_callback' ? payoutCalledBack(ended, false, at) : ended;
    }
    case 'unavailable':
      if (call === 'read' && planted === 'poll_unavailable_is_proof') return unsent(row.spent);
      return call === 'read' || row.resent || news ? later : unsent(row.spent);
    case 'unfunded':
      return news ? later : unsent(row.spent + 1);
    default:
      return later;
  }
}

const isAnswer = ({ outcome }: Read) => ['refused', 'unfunded', 'absent_long', 'none'].includes(outcome);
const isDone = ({ outcome }: Read) => outcome === 'paid';
const isCarriedOut = ({ outcome }: Read) => outcome === 'pending';

/** Applies what was read of everything that had failed; null when the payout under way is polled in the meantime. */
export function rechecked(row: Return, known: Return, reads: readonly Read[], at: At, planted?: Planted): Return | null {
  const done = reads.filter(isDone);
  const carried = reads.filter(isCarriedOut);
  const isUnfinished = known.state === 'owed' || known.state === 'paying_out' || known.state === 'waiting';
  const isKept = carried.length > 0 && isUnfinished && (planted !== 'carried_out_forgotten' || known.state === 'paying_out');
  const waits = !isOver(known.updated, at) || isKept;
  const again = waits && reads.some((read) => !isDone(read) && !isAnswer(read));
  if (done.length === 0 && again) {
    if (known.state === 'paying_out' && known.dispatched !== null) return null;
    const asks = isKept && carried.some(({ way }) => isOver(way.ended as At, at));
    if (asks && known.state === 'owed') return leftToPerson(row, known, at);
    if (asks && known.state === 'paying_out') return payoutNotNeeded(row, known, at);
    return postponed(row, known, at, isKept ? { updated: at } : {});
  }
  return locked(row, known, () => {
    const answered = { ...row, recheck: again && planted !== 'unread_forgotten' };
    const isRead = planted === 'second_callback_forgotten' ? row.recheck : !hasNews(row, known);
    const after = isRead ? { ...answered, step: needsWorker(answered) ? at.n : null } : row;
    return done.reduce((so_far, { ref, way }) => afterRefund(so_far, ref, way, 'paid', at, planted), after);
  });
}
