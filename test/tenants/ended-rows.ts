import { sql, type Sql, type Tx } from '../../src/kit/sql.ts';
import { type Journal, post } from '../../src/money/ledger/post.ts';
import type { Twins } from './twins.ts';

/** When the ended rows are next read. */
export const DUE = new Date('2029-12-31T00:00:00Z');
export const DAY = '2026-11-21';

/** Ids of the rows that {@link addEndedRows} adds. */
export const ENDED = {
  /** A charge that its provider turned away. */
  attempt: 'att_ended',
  /** A charge of the same payment whose further step was sent at {@link DUE}, with an unknown result. */
  stepped: 'att_stepped',
  /** A refund of a return that its provider reported as failed. */
  refund: 'rfd_ended',
  /** A merchant's refund that waits for money. */
  uncovered: 'rfd_uncovered',
  /** A payout that failed after it was sent. */
  transfer: 'trf_ended',
  /** A payout that the account `first` and then another one turned away. */
  turned_away: 'trf_turned_away',
};

/**
 * Adds to the rows of the team those that only statements about ended operations find: what may have been done all the same, what a
 * statement has shown late, what was returned to a payer, and what its limits count.
 */
export async function addEndedRows(twins: Twins): Promise<void> {
  const { owner, team_id, attempt, payment, refund, failed, transfer, dispute, owed } = twins;
  const copy = (tx: Tx, table: string, id: string, changes: object) => tx.run(copyOf(table, team_id, id, changes));
  const part = { attempt_id: attempt.id, amount_minor: '500', provider_key: 'k', provider_ref: null, sent_at: null };
  await owner.transaction(async (tx) => {
    const turned = { status: 'unavailable', closed_at: DUE, next_poll_at: null, mismatch: null };
    await copy(tx, 'attempts', attempt.id, { ...turned, id: ENDED.attempt, provider_key: ENDED.attempt });
    const stepped = { ...turned, unanswered_step_at: DUE };
    await copy(tx, 'attempts', attempt.id, { ...stepped, id: ENDED.stepped, provider_key: ENDED.stepped });
    const again = { next_poll_at: DUE, polls: 3 };
    const legs = [{ ...part, status: 'failed' }];
    await copy(tx, 'refunds', failed.id, { ...again, id: ENDED.refund, way: 'refund', legs });
    await tx.run(sql`update returns set refund_id = ${ENDED.refund} where team_id = ${team_id} and id = ${failed.return_id}`);
    await copy(tx, 'returns', owed.id, { id: 'rtn_waiting', arrival: 'beside', state: 'waiting', waiting_since: DUE });
    const waits = { status: 'pending', draws: null, legs: [{ ...part, status: 'waiting' }] };
    await copy(tx, 'refunds', refund.id, { ...waits, id: ENDED.uncovered });
    const ended = { ...again, status: 'failed', stage: 'closed', paid_late_at: null };
    await copy(tx, 'transfers', transfer.id, { ...ended, id: ENDED.transfer, provider_key: ENDED.transfer });
    const turnedAway = { dispatched_at: null, decision: { candidates: ['first', 'sandbox'] }, provider_key: ENDED.turned_away };
    await copy(tx, 'transfers', transfer.id, { ...turnedAway, id: ENDED.turned_away });
    await post(tx, journals(team_id, { payment: payment.id, attempt: attempt.id, refund: refund.id, returned: failed.id }));
    await countUses(tx, team_id);
    await tx.run(sql`
      update settlement_items set released_at = ${DUE} where team_id = ${team_id} and payment_id = ${dispute.payment_id}`);
  });
}

/** A late amount of a charge and of a refund, and an automatic reversal of a captured tranche. */
function journals(team_id: bigint, ids: { payment: string; attempt: string; refund: string; returned: string }): Journal[] {
  const named = { team_id, subject_id: ids.payment, currency: 'XAF' };
  const late = { ...named, kind: 'reconciliation.late' };
  const amount_minor = 700n;
  return [
    { ...late, source_id: ids.attempt, postings: [{ debit: 'clearing', credit: 'hold', amount_minor }] },
    { ...late, source_id: `${ids.refund}:0`, postings: [{ debit: 'hold', credit: 'clearing', amount_minor }] },
    {
      ...{ ...named, kind: 'refund.leg:0', source_id: ids.returned },
      postings: [{ debit: 'refund_clearing', credit: 'clearing', amount_minor }],
    },
  ];
}

async function countUses(tx: Tx, team_id: bigint): Promise<void> {
  for (const period of [DAY.slice(0, 7), DAY])
    await tx.run(sql`
      insert into ceiling_uses (team_id, direction, currency, period, used_minor) values (${team_id}, 'payment', 'XAF', ${period}, 5000)`);
}

function copyOf(table: string, team_id: bigint, id: string, changes: object): Sql {
  return {
    text: `insert into ${table} select (jsonb_populate_record(t, to_jsonb(t) || $3::jsonb)).* from ${table} t where team_id = $1 and id = $2`,
    values: [String(team_id), id, JSON.stringify(changes)],
  };
}
