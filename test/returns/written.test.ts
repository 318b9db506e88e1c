import { after, before, test } from 'node:test';
import { moveReturn, recordLateSuccess, wayEnded } from '../../src/core/obligations/apply.ts';
import { RETURN_TRIGGERS } from '../../src/core/obligations/states.ts';
import { recordLateRefund } from '../../src/core/returns/late.ts';
import { resolveReturn, retryReturn } from '../../src/core/returns/resolve.ts';
import { pollReturn, recheckFailedRefund } from '../../src/core/returns/service.ts';
import { account } from '../../src/money/ledger/accounts.ts';
import { post } from '../../src/money/ledger/post.ts';
import type { ReturnRow } from '../../src/core/obligations/schema.ts';
import { sql, type Tx } from '../../src/kit/sql.ts';
import { WORKER } from '../../src/tenants/audit/actor.ts';
import { compareGolden } from '../setup/golden.ts';
import { OneReturn, SAID, STATES } from './written-support.ts';

/** Everything that changes of a return write, in every state of it. */
const one = new OneReturn();
before(() => one.open());
after(() => one.close());

test('what every trigger writes', async () => {
  const lines: string[] = [];
  for (const state of STATES)
    for (const trigger of RETURN_TRIGGERS) {
      if (trigger !== 'resolved')
        lines.push(...(await one.tell(trigger, state, (tx, row) => moveReturn(tx, one.context(), row, trigger))));
      const change = { note: 'changed', resolved_as: 'kept' as const, next_step_at: new Date(one.late.clock.now() + 9_000) };
      lines.push(
        ...(await one.tell(`${trigger}, changed`, state, (tx, row) => moveReturn(tx, one.context(), row, trigger, change))),
      );
    }
  compareGolden('return-triggers.txt', lines);
});

test('what the end of a refund writes for its return, and the late success of one', async () => {
  const lines: string[] = [];
  for (const state of STATES) {
    const way = { message: 'why', way: 'payout' as const };
    for (const late_refund of [false, true])
      for (const end of ['succeeded', 'failed'] as const)
        lines.push(
          ...(await one.tell(
            `${end}${late_refund ? ', late refund' : ''}`,
            state,
            (tx, { team_id, id }) => wayEnded(tx, one.context(), { ...way, team_id, return_id: id }, end),
            (tx, { id }) =>
              tx.run(sql`update returns set late_refund = ${late_refund}, polls = 3, recheck = true where id = ${id}`),
          )),
        );
    for (const return_id of [null, 'rtn_nothing'])
      lines.push(
        ...(await one.tell('of no return', state, (tx, { team_id }) =>
          wayEnded(tx, one.context(), { ...way, team_id, return_id }, 'failed'),
        )),
      );
    lines.push(
      ...(await one.tell(
        'late success',
        state,
        (tx, { team_id, id }) => recordLateSuccess(tx, one.context(), { ...way, team_id, return_id: id }),
        (tx, { id }) => tx.run(sql`update returns set recheck = true where id = ${id}`),
      )),
    );
    lines.push(
      ...(await one.tell('late success of no return', state, (tx, { team_id }) =>
        recordLateSuccess(tx, one.context(), { ...way, team_id, return_id: null }),
      )),
    );
  }
  compareGolden('return-ends.txt', lines);
});

test('what a person writes, in every state', async () => {
  const lines: string[] = [];
  for (const state of STATES) {
    for (const as of ['returned', 'kept', 'recovered', 'absorbed'] as const)
      lines.push(
        ...(await one.tell(`resolved as ${as}`, state, (_, row, store) =>
          resolveReturn(one.deps(), store, row, { as, ...SAID }, WORKER),
        )),
      );
    lines.push(...(await one.tell('retried', state, (_, row, store) => retryReturn(one.deps(), store, row, WORKER))));
    for (const way of ['refund_id', 'payout_id', 'manual_id'] as const)
      lines.push(
        ...(await one.tell(`late ${way}`, state, (_, row, store) =>
          recordLateRefund(one.deps(), store, { team_id: row.team_id, id: row[way] ?? 'rfd_nothing' }, SAID, WORKER),
        )),
      );
    lines.push(
      ...(await one.tell(
        'resolved after a late refund',
        state,
        (_, row, store) => resolveReturn(one.deps(), store, row, { as: 'kept', ...SAID }, WORKER),
        (tx, { id }) => tx.run(sql`update returns set late_refund = true where id = ${id}`),
      )),
    );
  }
  const owing = async (tx: Tx, { team_id, id, payment_id, currency }: ReturnRow) => {
    const postings = [{ debit: account('credit', null), credit: account('clearing', null), amount_minor: 400_000n }];
    await post(tx, [{ team_id, kind: 'advance', source_id: id, subject_id: payment_id, currency, postings }]);
  };
  for (const as of ['returned', 'kept'] as const)
    lines.push(
      ...(await one.tell(
        `by a team that owes, resolved as ${as}`,
        'waiting',
        (_, row, store) => resolveReturn(one.deps(), store, row, { as, ...SAID }, WORKER),
        owing,
      )),
    );
  const nothing = { team_id: one.owed.team_id, id: 'rtn_nothing' };
  lines.push(...(await one.tell('nothing', 'owed', (_, __, store) => retryReturn(one.deps(), store, nothing, WORKER))));
  compareGolden('return-persons.txt', lines);
});

test('what a callback about a payout or a failed refund writes, in every state', async () => {
  const lines: string[] = [];
  const at = () => one.late.clock.now();
  for (const state of STATES) {
    lines.push(...(await one.tell('payout', state, (_, row, store) => pollReturn(store, at(), row, row.account_id ?? 'able'))));
    for (const way of ['refund_id', 'payout_id', 'manual_id'] as const)
      lines.push(
        ...(await one.tell(way, state, (_, row, store) =>
          recheckFailedRefund(store, at(), row.team_id, row[way] ?? 'rfd_nothing'),
        )),
      );
  }
  compareGolden('return-callbacks.txt', lines);
});
