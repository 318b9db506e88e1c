import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TransferChange } from '../../src/core/transfers/apply.ts';
import type { Decision, TransferRow } from '../../src/core/transfers/schema.ts';
import { advance, type Sender } from '../../src/core/transfers/send.ts';
import type { Payout, PayoutOutcome } from '../../src/providers/adapters/contract.ts';
import { callbackUrl } from '../../src/providers/provider-accounts/callback-address.ts';
import { FakeClock } from '../setup/api.ts';
import { Registry } from '../setup/providers.ts';
import { bank } from './support.ts';

/** One step of a transfer, without a database: what is asked of the router and the provider, and which changes are applied. */
const clock = new FakeClock();
const AT = clock.now();
const GRACE_MS = 600_000;
const DECISION: Decision = { explanation: { old: true }, candidates: ['one', 'two'], tried: [], resent: false, note: 'before' };
const ROW = {
  ...{ team_id: 7n, id: 'po_1', reference: 'INV-1', amount_minor: 1_000n, fee_minor: 10n, currency: 'XAF' },
  ...{ status: 'processing', description: 'Wages', channel: 'cm.mtn', provider_account: 'one', provider_key: 'key-1' },
  ...{ provider_ref: 'ref-1', decision: DECISION, stage: 'dispatched', polls: 0, dispatched_at: new Date(AT - 5_000) },
  recipient: { name: 'Awa', phone: '+237650000000', account_number: null, bank_code: null, country: 'CM', email: null },
} as unknown as TransferRow;
const UNSENT: Partial<TransferRow> = { stage: 'reserved', dispatched_at: null, provider_account: null, provider_ref: null };
const PENDING: PayoutOutcome = { kind: 'pending', provider_ref: 'ref-2', poll_after_ms: 1_000 };
const secrets = { mac: (_: string, text: string) => `mac(${text})` } as unknown as Sender['deps']['secrets'];
const config = { public_url: 'https://pay.example' } as Sender['deps']['config'];

interface Step {
  row?: Partial<TransferRow>;
  /** Accounts that routing offers. */
  offered?: string[];
  /** What the provider answers to a poll. */
  read?: PayoutOutcome;
  submitted?: PayoutOutcome;
  /** Whether the intent is applied. */
  changed?: boolean;
  /** How long the process pauses after that, in milliseconds. */
  paused_ms?: number;
  idempotency?: 'none' | 'replays';
}

/** Runs one step. */
async function step({
  row = {},
  offered = ['one', 'two'],
  changed = true,
  idempotency = 'replays',
  paused_ms = 0,
  ...answers
}: Step) {
  const seen = { asked: [] as object[], payouts: [] as [string, string, Payout][], applied: [] as TransferChange[] };
  const providers = ['one', 'two'].map((name) => {
    const own = bank(name);
    const call = (kind: string, answer: PayoutOutcome) => async (payout: Payout) => {
      seen.payouts.push([name, kind, payout]);
      return answer;
    };
    const payouts = {
      ...own.payouts,
      read: call('read', answers.read ?? PENDING),
      submit: call('submit', answers.submitted ?? PENDING),
      idempotency,
    };
    return { ...own, payouts, keyOf: (id: string) => `key of ${id}` };
  });
  const registry = new Registry({ sandbox: providers, live: [] });
  const sender = {
    deps: {
      ...{ clock, config, secrets, providers: registry },
      router: {
        choose: async (wanted: object) => {
          seen.asked.push(wanted);
          const listed = (await registry.of('sandbox')).map(({ provider }) => provider);
          const candidates = offered.map((name) => listed.find(({ account_id }) => account_id === name));
          return { candidates, explanation: { rule: 3 }, limits: [] };
        },
      },
    },
    store: { environment: 'sandbox' },
    apply: async (change: TransferChange) => {
      seen.applied.push(change);
      const { occurrence } = change;
      const sent =
        occurrence.kind === 'sending'
          ? {
              provider_account: occurrence.provider_account,
              provider_key: occurrence.provider_key,
              decision: occurrence.decision,
              dispatched_at: new Date(AT),
            }
          : {};
      if (occurrence.kind === 'sending') clock.advance(paused_ms);
      return { transfer: { ...change.known, ...sent }, changed };
    },
  } as unknown as Sender;
  await advance(sender, { ...ROW, ...row });
  clock.advance(-paused_ms);
  return { ...seen, occurrences: seen.applied.map(({ occurrence }) => occurrence) };
}

const sending = (provider_account: string, decision: Partial<Decision>, provider_key = 'key of po_1') => ({
  ...{ kind: 'sending', provider_account, provider_key, lease_ms: 60_000 },
  decision: {
    explanation: { rule: 3 },
    candidates: ['one', 'two'],
    tried: [],
    resent: false,
    spent: undefined,
    note: 'before',
    ...decision,
  },
});
const calls = ({ payouts }: { payouts: [string, string, Payout][] }) => payouts.map(([name, kind]) => `${name} ${kind}`);
const waiting = { kind: 'waiting', wait_ms: 1_000, note: null, provider_ref: 'ref-2' };

test('a transfer that nobody has is routed as what it is, and sent to the first account after the intent is applied', async () => {
  const done = await step({ row: UNSENT });
  const channel = (done.asked[0] as { channel: { id: string } }).channel;
  assert.equal(channel.id, 'cm.mtn');
  assert.deepEqual(done.asked, [
    { environment: 'sandbox', team_id: 7n, operation: 'payout', channel, currency: 'XAF', amount_minor: 1_000n },
  ]);
  assert.deepEqual(done.occurrences, [sending('one', {}), waiting]);
  assert.deepEqual(calls(done), ['one submit']);
  assert.deepEqual(done.applied[1]?.known.provider_account, 'one', 'the answer is about the row that was sent');
});

test('a process that was paused after the intent was applied sends nothing: others may have polled or ended the payout', async () => {
  const late = await step({ row: UNSENT, paused_ms: 60_000 });
  assert.deepEqual(calls(late), []);
  assert.equal(late.occurrences.at(-1)?.kind, 'unsent');
  const again = await step({ row: { dispatched_at: new Date(AT - GRACE_MS) }, read: { kind: 'not_found' }, paused_ms: 60_000 });
  assert.deepEqual([calls(again), again.occurrences.at(-1)?.kind], [['one read'], 'waiting']);
  assert.deepEqual(calls(await step({ row: UNSENT, paused_ms: 59_000 })), ['one submit']);
});

test('it was sent, or provably was not: stage and time of the submission decide', async () => {
  const sent = { dispatched_at: new Date(AT - 5_000), provider_account: 'one' };
  assert.deepEqual(calls(await step({ row: { ...sent, stage: 'dispatched' } })), ['one read']);
  assert.deepEqual(calls(await step({ row: { ...sent, stage: 'reserved' } })), ['one submit']);
  assert.deepEqual(calls(await step({ row: { ...sent, stage: 'dispatched', dispatched_at: null } })), ['one submit']);
});

test('accounts that refused it are passed over, until all have', async () => {
  const after = (tried: string[], offered?: string[]) =>
    step({ row: { ...UNSENT, decision: { ...DECISION, tried } }, ...(offered && { offered }) });
  assert.deepEqual((await after(['one'])).occurrences[0], sending('two', { tried: ['one'] }));
  assert.deepEqual((await after(['one', 'two'])).occurrences[0], sending('one', { tried: ['one', 'two'] }));
  const second = await after([], ['two']);
  assert.deepEqual(second.occurrences[0], sending('two', { candidates: ['two'] }));
  const none = await after([], []);
  assert.deepEqual([none.applied, none.payouts], [[], []]);
});

test('a key that is used up is followed by one with its number', async () => {
  const after = (spent: number) => step({ row: { ...UNSENT, decision: { ...DECISION, spent } } });
  assert.deepEqual((await after(0)).occurrences[0], sending('one', { spent: 0 }));
  assert.deepEqual((await after(2)).occurrences[0], sending('one', { spent: 2 }, 'key of po_1-2'));
});

test('what another worker took is not sent', async () => {
  const done = await step({ row: UNSENT, changed: false });
  assert.deepEqual([done.occurrences.length, done.payouts], [1, []]);
});

test('a transfer under way is polled at its account, and the answer is applied', async () => {
  const done = await step({ row: { provider_account: 'two' } });
  assert.deepEqual([calls(done), done.asked, done.occurrences], [['two read'], [], [waiting]]);
  assert.equal(done.applied[0]?.known.id, 'po_1');
  const known = await step({ read: { kind: 'unavailable', message: 'closed' } });
  assert.deepEqual(known.occurrences, [{ kind: 'waiting', wait_ms: 2_000, note: 'closed', provider_ref: null }]);
  const refused = await step({ row: UNSENT, submitted: { kind: 'unavailable', message: 'closed' } });
  assert.deepEqual(refused.occurrences[1], {
    ...{ kind: 'unsent', wait_ms: 0 },
    decision: { ...sending('one', {}).decision, tried: ['one'], note: 'closed' },
  });
  await assert.rejects(step({ row: { provider_account: 'three' } }), /provider account three can be used/);
  await assert.rejects(step({ row: { provider_account: null } }), /provider account null can be used/);
});

test('a transfer that the provider does not know is sent again to it after the grace, with its key, if it knows repeats', async () => {
  const read: PayoutOutcome = { kind: 'not_found' };
  const sent = (ago: number) => ({ dispatched_at: new Date(AT - ago), decision: { ...DECISION, tried: ['two'], note: null } });
  const early = await step({ row: sent(GRACE_MS - 1), read });
  assert.deepEqual([calls(early), early.occurrences.map(({ kind }) => kind)], [['one read'], ['waiting']]);
  const risky = await step({ row: sent(GRACE_MS), read, idempotency: 'none' });
  assert.deepEqual(calls(risky), ['one read']);
  const again = await step({ row: sent(GRACE_MS), read });
  assert.deepEqual([calls(again), again.asked], [['one read', 'one submit'], []]);
  assert.deepEqual(again.occurrences[0], {
    ...{ kind: 'sending', provider_account: 'one', provider_key: 'key-1', lease_ms: 60_000 },
    decision: { ...DECISION, tried: ['two'], note: null, resent: true },
  });
  const known = await step({ row: sent(GRACE_MS), read: { kind: 'unknown', message: 'closed' } });
  assert.deepEqual(calls(known), ['one read']);
});

test('a provider gets all that a payout needs, and no phone number of a bank customer', async () => {
  const payout = async (row: Partial<TransferRow>) => (await step({ row })).payouts[0]?.[2];
  const whole = {
    ...{ transfer_id: 'po_1', provider_key: 'key-1', provider_ref: 'ref-1', amount_minor: 1_000n, currency: 'XAF' },
    channel: { id: 'cm.mtn', kind: 'mobile_money', country: 'CM' },
    recipient: { name: 'Awa', phone: '+237650000000', account_number: null, bank_code: null },
    ...{ description: 'Wages', callback_url: callbackUrl({ config, secrets }, 'one', 'po_1'), submitted_at: AT - 5_000 },
  };
  assert.deepEqual(await payout({}), whole);
  assert.equal((await payout({ description: null }))?.description, 'INV-1');
  assert.equal((await payout({ description: null, reference: null }))?.description, 'po_1');
  const to = { ...ROW.recipient, account_number: '1000', bank_code: '10' };
  assert.deepEqual((await payout({ channel: 'cm.bank', recipient: to }))?.recipient, {
    ...{ name: 'Awa', phone: null, account_number: '1000', bank_code: '10' },
  });
  const nameless = async (channel: string, recipient: object) =>
    (await payout({ channel, recipient: { ...to, name: null, ...recipient } }))?.recipient.name;
  assert.equal(await nameless('cm.mtn', {}), '+237650000000');
  assert.equal(await nameless('cm.bank', {}), '1000');
  assert.equal(await nameless('cm.bank', { account_number: null }), '');
});
