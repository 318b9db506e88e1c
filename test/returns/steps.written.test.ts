import { after, before, test } from 'node:test';
import type { ReturnRow } from '../../src/core/obligations/schema.ts';
import { advanceReturn } from '../../src/core/returns/step.ts';
import { sql, type Tx } from '../../src/kit/sql.ts';
import type { PayoutOutcome, RefundOutcome } from '../../src/providers/adapters/contract.ts';
import { compareGolden } from '../setup/golden.ts';
import { FAILED, OneReturn, type Script, STATES, type State, UNKNOWN } from './written-support.ts';

/** What one step of a return asks of providers and writes, by its state and what they say. */
const one = new OneReturn();
before(() => one.open());
after(() => one.close());

const message = 'said';
const PAID = { kind: 'succeeded', provider_ref: 'p-1', amount_minor: 1_000_000n, currency: 'XAF' } as const;
const PAYOUTS: PayoutOutcome[] = [
  PAID,
  { ...PAID, amount_minor: 1n },
  { ...PAID, currency: 'XOF' },
  { kind: 'failed', reason: null, message },
  { kind: 'cancelled', message },
  { kind: 'pending', provider_ref: 'p-2', poll_after_ms: 7_000 },
  { kind: 'pending', provider_ref: null, poll_after_ms: 1 },
  { kind: 'unavailable', message },
  { kind: 'unfunded', message },
  { kind: 'not_found' },
  { kind: 'unknown', message },
] as PayoutOutcome[];
const REFUNDS: RefundOutcome[] = [
  { kind: 'succeeded', provider_ref: 'r-1' },
  FAILED,
  { kind: 'unfunded', message },
  { kind: 'not_found' },
  { kind: 'pending', provider_ref: null, poll_after_ms: 7_000 },
  { kind: 'unavailable', message },
  UNKNOWN,
];

type Prepare = (tx: Tx, row: ReturnRow) => Promise<unknown>;
const change =
  (text: string): Prepare =>
  (tx, { id }) =>
    tx.run({ text: `update returns set ${text} where id = '${id}'`, values: [] });
const later =
  (ms: number, before: Prepare = async () => {}): Prepare =>
  async (tx, row) => {
    await before(tx, row);
    one.late.clock.advance(ms);
  };

class Told {
  readonly lines: string[] = [];

  async step(title: string, state: State, script: Script = {}, prepare?: Prepare, seen: Partial<ReturnRow> = {}): Promise<void> {
    const said = JSON.stringify(script, (_, value) => (typeof value === 'bigint' ? String(value) : value));
    this.lines.push(
      ...(await one.tell(
        `${title} ${said}`,
        state,
        (_, row, store) => advanceReturn(one.deps(script), store, { ...row, ...seen }),
        prepare,
      )),
    );
  }
}

const WAYS: Script[] = [
  {},
  { candidates: [] },
  { candidates: [], broken: true },
  { candidates: [], anyUnusable: true },
  { usable: false },
];

test('every state, whatever accounts can do', async () => {
  const told = new Told();
  for (const state of STATES) {
    for (const script of WAYS) await told.step('', state, script);
    for (const script of WAYS) await told.step('no refunds', state, { ...script, refunds: false });
    if (state !== 'unsent') await told.step('no payouts', state, { payouts: false });
    await told.step('late refund', state, {}, change('late_refund = true'));
    await told.step('polled three times', state, { usable: false }, change('polls = 3'));
    await told.step('seen in another currency', state, {}, undefined, { currency: 'XOF' });
    await told.step('seen as owed', state, {}, undefined, { state: 'owed' });
  }
  await told.step('late refund, not taken', 'sent', {}, async (tx, row) => {
    await change('late_refund = true, dispatched_at = null')(tx, row);
    await tx.run(sql`update refunds set legs = replace(legs::text, '"sent"', '"waiting"')::json where id = ${row.payout_id}`);
  });
  await told.step('no refunds, no message', 'refused', { refunds: false }, (tx, { refund_id }) =>
    tx.run(sql`update refunds set message = null where id = ${refund_id}`),
  );
  await told.step('proved by a person', 'refused', { refundRead: UNKNOWN }, (tx, { refund_id }) =>
    tx.run(sql`update refunds set resolution = '{"as":"failed"}' where id = ${refund_id}`),
  );
  await told.step('no note', 'unpaid', {}, change('note = null'));
  for (const needsPayer of [false, true])
    await told.step('no number', 'owed', { needsPayer }, (tx, { attempt_id }) =>
      tx.run(sql`update attempts set payer = null where id = ${attempt_id}`),
    );
  await told.step('announced before', 'unpaid', {}, change('announced_at = created_at'));
  compareGolden('return-steps.txt', told.lines);
});

test('a refund under way that a version before started or ended', async () => {
  const told = new Told();
  for (const status of ['pending', 'processing', 'succeeded', 'failed'])
    for (const part of ['waiting', 'sent'])
      for (const script of [{}, { refunds: false }, { usable: false }] as Script[])
        await told.step(`${status}, ${part}`, 'refunding', script, async (tx, { refund_id, created_at }) => {
          await tx.run(sql`alter table refunds disable trigger refunds_end_once`);
          await tx.run(sql`
            update refunds set status = ${status}, next_poll_at = null, submitted_at = ${created_at},
              legs = replace(legs::text, '"waiting"', ${`"${part}"`})::json where id = ${refund_id}`);
        });
  compareGolden('return-refunding.txt', told.lines);
});

test('a payout: every answer to a submission and to a poll', async () => {
  const told = new Told();
  for (const submit of PAYOUTS) await told.step('', 'unsent', { submit });
  await told.step('one has refused', 'unsent', {}, change(`tried = '{able}'`));
  await told.step('all have refused', 'unsent', {}, change(`tried = '{able,second}', polls = 2`));
  await told.step('spent a key', 'unsent', {}, change('spent = 1'));
  const sentAlready = change('dispatched_at = created_at');
  await told.step('sent by another worker', 'unsent', {}, sentAlready, { dispatched_at: null });
  for (const meanwhile of [
    'dispatched_at = created_at',
    'polls = polls + 1',
    `state = 'waiting', waiting_since = created_at`,
    'late_refund = true',
  ])
    for (const submit of PAYOUTS.slice(6, 9))
      told.lines.push(
        ...(await one.tell(`meanwhile ${meanwhile}, ${submit.kind}`, 'unsent', async (tx, row, store) => {
          const script = { submit, meanwhile: () => change(meanwhile)(tx, row) };
          await advanceReturn(one.deps(script), store, row);
        })),
      );
  for (const read of PAYOUTS) {
    await told.step('', 'sent', { read });
    await told.step('sent twice', 'sent', { read }, change('resent = true'));
    await told.step('polled three times', 'sent', { read }, change('polls = 3'));
  }
  for (const late_refund of [false, true])
    for (const ms of [598_999, 599_000])
      for (const idempotency of ['replays', 'none'] as const) {
        const script: Script = { read: { kind: 'not_found' }, submit: { kind: 'unavailable', message }, idempotency };
        await told.step(`${ms}, late refund ${late_refund}`, 'sent', script, later(ms, change(`late_refund = ${late_refund}`)));
        await told.step(`${ms}, changed meanwhile`, 'sent', script, later(ms, change(`late_refund = ${late_refund}`)), {
          dispatched_at: one.owed.created_at,
        });
      }
  for (const idempotency of ['replays', 'conflicts'] as const)
    for (const submit of PAYOUTS.filter(({ kind }) => ['failed', 'cancelled', 'unfunded'].includes(kind)))
      await told.step('sent again', 'sent', { read: { kind: 'not_found' }, submit, idempotency }, later(600_000));
  await told.step('without an account', 'sent', {}, change('account_id = null'));
  compareGolden('return-payouts.txt', told.lines);
});

test('a failed refund is read once more, and news of failed ones are read in every state', async () => {
  const told = new Told();
  for (const refundRead of REFUNDS) {
    await told.step('', 'refused', { refundRead });
    for (const ms of [86_400_000 - 1_000, 86_400_000 - 999, 86_400_001])
      await told.step(`after ${ms}`, 'refused', { refundRead }, later(ms));
  }
  for (const state of ['refused', 'sent', 'unpaid', 'waiting', 'returned', 'resolved'] as const) {
    for (const refundRead of REFUNDS)
      await told.step('again', state, { refundRead, read: PAYOUTS[3] as PayoutOutcome }, change('recheck = true'));
    for (const read of PAYOUTS) await told.step('again', state, { refundRead: FAILED, read }, change('recheck = true'));
    await told.step('again', state, { usable: false }, change('recheck = true, polls = 2'));
    await told.step('again, a day later', state, { refundRead: UNKNOWN }, later(86_400_001, change('recheck = true')));
    for (const read of [PAYOUTS[5], PAYOUTS[10]] as PayoutOutcome[])
      await told.step('again, one done', state, { refundRead: REFUNDS[0] as RefundOutcome, read }, change('recheck = true'));
    await told.step('again, closed', state, { refundRead: UNKNOWN }, change('recheck = true, late_refund = true'));
    await told.step('again, both done', state, { refundRead: REFUNDS[0] as RefundOutcome, read: PAID }, change('recheck = true'));
  }
  for (const ms of [86_399_999, 86_400_000, 86_400_001])
    await told.step(
      `again, ${ms} later`,
      'waiting',
      { refundRead: UNKNOWN },
      later(ms, (tx, { id }) =>
        tx.run(sql`update returns set recheck = true, updated_at = ${new Date(one.late.clock.now())} where id = ${id}`),
      ),
    );
  compareGolden('return-rechecks.txt', told.lines);
});
