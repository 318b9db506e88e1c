import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SENDING_MS } from '../../src/core/charge/resolve.ts';
import { resolveRefund } from '../../src/core/refunds/resolve.ts';
import { applyRefund, markSent } from '../../src/core/refunds/apply.ts';
import type { RefundPart, RefundRow } from '../../src/core/refunds/schema.ts';
import { lockRefund, updateRefund } from '../../src/core/refunds/store.ts';
import { must } from '../../src/kit/errors.ts';
import { sql, type Tx } from '../../src/kit/sql.ts';
import type { RefundOutcome } from '../../src/providers/adapters/contract.ts';
import { WORKER } from '../../src/tenants/audit/actor.ts';
import { compareGolden } from '../setup/golden.ts';
import { Written } from '../setup/written.ts';
import { LOST, REFUSED, RefundShop } from './support.ts';

/** Everything that is written when a part of a refund is sent, ends or is resolved, in every state of both. */
let shop: RefundShop;
let written: Written;
/** Of a payment in two tranches, in two parts; the first is with its provider. */
let refund: RefundRow;
before(async () => {
  shop = await RefundShop.open();
  await shop.begin();
  const payment = await shop.paid(700_000);
  shop.provider.submits.set(0, [LOST]);
  const { id } = await shop.refund(payment, 600_000);
  await shop.said(id, LOST.message);
  refund = await shop.row(id);
  shop.clock.advance(5_000);
  written = new Written(shop.owner, 'live', shop.merchant.team.id, shop.clock);
  await shop.owner.run(sql`alter table refunds disable trigger refunds_end_once`);
});
after(() => shop.close());

/** How long ago the parts were sent. */
let since_ms = 3_000;

type Status = RefundPart['status'];
const STATES: [RefundRow['status'], Status, Status][] = [
  ['pending', 'waiting', 'waiting'],
  ['processing', 'sent', 'waiting'],
  ['processing', 'sent', 'succeeded'],
  ['processing', 'sent', 'failed'],
  ['processing', 'succeeded', 'sent'],
  ['processing', 'waiting', 'waiting'],
  ['succeeded', 'succeeded', 'succeeded'],
  ['failed', 'failed', 'waiting'],
  ['failed', 'failed', 'succeeded'],
  ['failed', 'sent', 'failed'],
];
const UNDER_WAY = STATES.slice(1, 2);

const message = 'said';
const OUTCOMES: RefundOutcome[] = [
  { kind: 'succeeded', provider_ref: 'ref-1' },
  REFUSED,
  { kind: 'unavailable', message },
  { kind: 'unfunded', message },
  { kind: 'not_found' },
  { kind: 'pending', provider_ref: 'ref-2', poll_after_ms: 7_000 },
  { kind: 'pending', provider_ref: null, poll_after_ms: 7_000 },
  { kind: 'unknown', message },
];
const context = () => ({ environment: 'live' as const, at: shop.clock.now(), listeners: shop.api.deps.listeners });

async function become(tx: Tx, [status, ...parts]: (typeof STATES)[number], change: Partial<RefundRow> = {}): Promise<RefundRow> {
  const legs = refund.legs.map(
    (part, i): RefundPart => ({
      ...part,
      status: parts[i] as Status,
      sent_at: parts[i] === 'waiting' ? null : new Date(shop.clock.now() - since_ms - i).toISOString(),
      provider_ref: i === 0 ? 'ref-0' : null,
    }),
  );
  await updateRefund(tx, { ...refund, legs, status, ...change });
  return must(await lockRefund(tx, refund.team_id, refund.id), 'it was made');
}

const shown = ([status, ...parts]: (typeof STATES)[number]) => `${status} (${parts.join(', ')})`;

function others(row: RefundRow): Record<string, RefundRow> {
  const leg = (change: Partial<RefundPart>) => ({ ...row, legs: row.legs.map((part) => ({ ...part, ...change })) });
  return {
    'of an earlier key': leg({ provider_key: 'earlier' }),
    'of an earlier submission': leg({ sent_at: '2020-01-01T00:00:00.000Z' }),
    'of an earlier poll': { ...row, polls: row.polls - 1 },
    'of another refund': { ...row, id: 'rfd_nothing' },
  };
}

const PLAN = { first_ms: 1_000, factor: 3, max_ms: 20_000 };

test('what every outcome of a part writes, in every state of the refund', async () => {
  const lines: string[] = [];
  const tell = async (title: string, state: (typeof STATES)[number], outcome: RefundOutcome, ...more: unknown[]) => {
    const [which, part, change] = more as [string?, number?, Partial<RefundRow>?];
    const found = await written.by(
      (tx) => become(tx, state, change),
      (tx, _, row) => applyRefund(tx, context(), (which && others(row)[which]) || row, part ?? 0, outcome, PLAN),
    );
    lines.push('', `# ${shown(state)}, ${outcome.kind}${title}`, ...found);
  };
  for (const state of STATES) for (const outcome of OUTCOMES) await tell('', state, outcome);
  for (const state of STATES.slice(3, 6))
    for (const outcome of OUTCOMES.slice(0, 2)) await tell(', of the second part', state, outcome, '', 1);
  for (const state of UNDER_WAY)
    for (const outcome of OUTCOMES)
      for (const which of Object.keys(others(refund))) await tell(`, ${which}`, state, outcome, which);
  const [state] = UNDER_WAY as [(typeof STATES)[number]];
  await tell(', of a part that does not exist', state, REFUSED, '', 2);
  await tell(', once a part was refused', ['processing', 'sent', 'failed'], REFUSED, '', 0, { failure_reason: 'unknown' });
  compareGolden('refund-outcomes.txt', lines);
});

test('a payment counts no more as refunded than was captured', async () => {
  const lines: string[] = [];
  for (const refunded of [0n, 20_000_000n, 20_000_001n, 69_999_999n, 70_000_000n]) {
    const found = await written.by(
      async (tx) => {
        await tx.run(sql`update payments set refunded_minor = ${refunded} where id = ${refund.payment_id}`);
        return become(tx, ['processing', 'sent', 'succeeded']);
      },
      (tx, _, row) => applyRefund(tx, context(), row, 0, { kind: 'succeeded', provider_ref: 'ref-1' }),
    );
    lines.push(`# ${refunded}`, ...found.filter((line) => line.includes('payments')));
  }
  compareGolden('refund-counts.txt', lines);
});

test('what is written before a part is sent, and when it is not', async () => {
  const lines: string[] = [];
  for (const state of STATES)
    for (const part of [0, 1])
      for (const change of [{}, { draws: null }, { submitted_at: null }]) {
        let marked: unknown;
        const found = await written.by(
          (tx) => become(tx, state, change),
          async (tx, _, row) => {
            marked = await markSent(tx, context(), row, part);
          },
        );
        assert.equal(marked !== null, found.length > 0);
        lines.push(`# ${shown(state)}, part ${part} ${JSON.stringify(change)}`, ...found);
      }
  compareGolden('refund-sendings.txt', lines);
});

test('a part whose key is used up keeps it until it is sent under the next one', async () => {
  const state: (typeof STATES)[number] = ['pending', 'waiting', 'waiting'];
  const legs = refund.legs.map((part) => ({ ...part, status: 'waiting', provider_ref: 'old', spent_key: part.provider_key }));
  for (const keyOf of [undefined, (key: string) => `${key}+`]) {
    let marked: RefundRow | null = null;
    await written.by(
      (tx) => become(tx, state, { legs } as Partial<RefundRow>),
      async (tx, _, row) => {
        marked = await markSent(tx, context(), row, 0, keyOf);
      },
    );
    const [sent, next] = (marked as RefundRow | null)?.legs ?? [];
    const { provider_key } = refund.legs[0] as RefundPart;
    const expected = keyOf ? [`${provider_key}+`, null] : [provider_key, 'old'];
    assert.deepEqual([sent?.provider_key, sent?.provider_ref], expected);
    assert.equal(next?.spent_key, next?.provider_key);
  }
});

test('what a manual resolution writes, in every state of the part', async () => {
  since_ms = SENDING_MS;
  const lines: string[] = [];
  const ref = { team_id: refund.team_id, id: refund.id };
  const tell = async (
    state: (typeof STATES)[number],
    as: 'succeeded' | 'failed',
    part: number | null,
    change: Partial<RefundRow> = {},
  ) => {
    const found = await written.by(
      (tx) => become(tx, state, change),
      (_, store) => resolveRefund(shop.api.deps, store, { ...ref, part }, { as, evidence: 'line 7', author: 'awa' }, WORKER),
    );
    lines.push('', `# ${shown(state)}, part ${part} ${as}${change.legs ? ', alone' : ''}`, ...found);
  };
  for (const state of STATES)
    for (const as of ['succeeded', 'failed'] as const) for (const part of [null, 0, 1, 2]) await tell(state, as, part);
  const [first] = refund.legs as [RefundPart];
  const earlier = new Date(shop.clock.now() - 9_000).toISOString();
  for (const [status, sent_at] of [
    ['sent', null],
    ['waiting', earlier],
    ['waiting', null],
    ['failed', null],
  ] as const)
    for (const as of ['succeeded', 'failed'] as const)
      await tell(['processing', status, 'waiting'], as, null, { legs: [{ ...first, status, sent_at, provider_ref: null }] });
  since_ms = SENDING_MS - 1;
  for (const state of UNDER_WAY) for (const as of ['succeeded', 'failed'] as const) await tell(state, as, 0);
  const unknown = { team_id: refund.team_id, id: 'rfd_nothing', part: null };
  const verdict = { as: 'failed', evidence: 'line 7', author: 'awa' } as const;
  lines.push(
    ...(await written.by(
      async () => {},
      (_, store) => resolveRefund(shop.api.deps, store, unknown, verdict, WORKER),
    )),
  );
  compareGolden('refund-resolutions.txt', lines);
});
