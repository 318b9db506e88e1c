import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openPool, type DbPool } from '../../src/platform/db/pool.ts';
import type { Store } from '../../src/platform/db/stores.ts';
import { createLog } from '../../src/kit/log.ts';
import { readBalances } from '../../src/money/ledger/balances.ts';
import type { Difference } from '../../src/money/ledger/differences.ts';
import { verifyLedger } from '../../src/money/ledger/verify.ts';
import type { BreakRow } from '../../src/core/reconciliation/schema.ts';
import { BREAK_KINDS } from '../../src/core/reconciliation/schema.ts';
import { pagesOf, reconcile } from '../../src/core/reconciliation/service.ts';
import { NORMAL_FORM, type StatementEntry, alterStatement, statementOf, writeStatement } from '../../simulators/kit/statement.ts';
import { walletStatement } from '../../simulators/pawapay/statement.ts';
import { LiveMerchant } from '../complaints/live-merchant.ts';
import { FakeClock, startApi } from '../setup/api.ts';
import { OPERATOR } from './fixture.ts';

const DAY_MS = 86_400_000;
/** Of each kind of break, in one statement. */
const WANTED = 2;
const SEEDS = 12;

const clock = new FakeClock();
const api = await startApi({ clock, env: { HOLD_MOBILE_MONEY: '0s' } });
const db: DbPool = openPool({ url: api.databases.live, size: 2, log: createLog({ level: 'silent', format: 'json' }) });
const store: Store = { environment: 'live', db };
after(async () => {
  await db.close();
  await api.stop();
});

async function compare(merchant: LiveMerchant, name: string, text: string, apply: boolean): Promise<BreakRow[]> {
  const account = merchant.shop.accounts[name] ?? assert.fail(name);
  const wish = {
    ...{
      team_id: account.team_id,
      provider: name,
      account,
      file_name: `${name}.csv`,
      skew_ms: 0,
      force: false,
      apply,
      progress: () => undefined,
    },
    ...{ from: new Date(clock.now() - DAY_MS), to: new Date(clock.now() + DAY_MS) },
    open: async function* () {
      yield Buffer.from(text);
    },
  };
  const run = await reconcile(api.deps, store, wish, OPERATOR);
  const rows: BreakRow[] = [];
  for (const kind of BREAK_KINDS) for await (const page of pagesOf(store, run, kind)) rows.push(...page);
  return rows;
}

/** Minus what the provider holds for us, in hundredths of XAF, should the statement be true. */
function clearingBy(entries: readonly StatementEntry[]): bigint {
  return entries
    .filter(({ state }) => state === 'succeeded')
    .reduce((sum, { kind, amount_minor }) => (kind === 'collect' ? sum - amount_minor : sum + amount_minor), 0n);
}

async function differences(): Promise<Difference[]> {
  const found: Difference[] = [];
  await verifyLedger(db, (difference) => found.push(difference));
  return found;
}

for (const [name, form] of [
  ['mtn-momo', NORMAL_FORM],
  ['pawapay', walletStatement],
] as const) {
  describe(`statements of the ${name} simulator`, () => {
    let merchant: LiveMerchant;
    before(async () => {
      merchant = await LiveMerchant.open(api, clock, [name]);
      const sold: string[] = [];
      for (let n = 0; n < 12; n++) sold.push(await merchant.createSucceeded(1_000 + 100 * n));
      for (const phone of ['670000002', '670000001', '670000002']) {
        const id = await merchant.createPayment();
        await merchant.charge(id, { phone });
        await merchant.waitForStatus(`/payments/${id}`, 'failed');
      }
      for (const amount of [500, 600, 700]) {
        const { body } = await merchant.call('POST', '/transfers', {
          amount,
          currency: 'XAF',
          channel: 'cm.mtn',
          recipient: '+237670100000',
        });
        await merchant.waitForStatus(`/transfers/${body.transfer.id}`, 'succeeded');
      }
      for (const payment of sold.slice(0, 2)) {
        const { body } = await merchant.call('POST', '/refunds', { payment, amount: 300, reason: 'requested_by_customer' });
        await merchant.waitForStatus(`/refunds/${body.refund.id}`, 'succeeded');
      }
    });
    after(() => merchant.stop());

    test('without faults the statement and the books agree', async () => {
      const entries = statementOf(merchant.simulator(name).book);
      assert.deepEqual(entries.map(({ kind }) => kind).sort(), [
        ...Array(15).fill('collect'),
        ...Array(3).fill('payout'),
        ...Array(2).fill('refund'),
      ]);
      assert.deepEqual(await compare(merchant, name, writeStatement(entries, form), false), []);
      assert.equal((await readBalances(db, merchant.shop.merchant.team.id, 'XAF')).get('clearing'), clearingBy(entries));
    });

    test(`every injected break is found and nothing else, with ${SEEDS} seeds`, async () => {
      const honest = statementOf(merchant.simulator(name).book);
      for (let seed = 1; seed <= SEEDS; seed++) {
        const { entries, injected } = alterStatement(honest, WANTED, seed);
        assert.equal(injected.length, 5 * WANTED);
        const found = await compare(merchant, name, writeStatement(entries, form), false);
        const words = (list: readonly { kind: string; key: string | null }[]) =>
          list.map(({ kind, key }) => `${kind} ${key}`).sort();
        assert.deepEqual(words(found), words(injected), `seed ${seed}`);
      }
    });

    test('other processes get the same statement and the names of the breaks', async () => {
      const simulator = merchant.simulator(name);
      const answer = await fetch(`${simulator.url}/_twin/statement.csv?breaks=1&seed=3`);
      const { entries, injected } = alterStatement(statementOf(simulator.book), 1, 3);
      assert.deepEqual(JSON.parse(answer.headers.get('x-simulator-breaks') ?? ''), injected);
      assert.equal(await answer.text(), writeStatement(entries, form));
    });

    test('an unknown outcome is closed by its line, which is kept as evidence, and the books stay correct', async () => {
      const simulator = merchant.simulator(name);
      simulator.faults.announce('none');
      simulator.faults.script({ fault: 'reset_created' });
      const id = await merchant.createPayment(4_000);
      assert.equal((await merchant.charge(id)).status, 202);
      await simulator.idle();
      const found = await compare(merchant, name, writeStatement(statementOf(simulator.book), form), true);
      assert.deepEqual(
        found.map(({ kind, of_id, state }) => [kind, of_id, state]),
        [['unknown', id, 'closed']],
      );
      assert.equal((await merchant.payment(id)).status, 'succeeded');
      assert.deepEqual(await merchant.events(id), ['payment.created', 'payment.processing', 'payment.succeeded']);
      assert.deepEqual(await differences(), []);
    });

    test('late money is posted and reversed, clearing matches the statement, and a second run changes nothing', async () => {
      const simulator = merchant.simulator(name);
      simulator.faults.recover();
      const { entries, injected } = alterStatement(statementOf(simulator.book), 1, 99);
      const text = writeStatement(entries, form);
      const first = await compare(merchant, name, text, true);
      assert.equal(first.length, injected.length);
      const late = first.find(({ kind }) => kind === 'late') ?? assert.fail('one was late');
      assert.equal(late.state, 'closed', late.outcome ?? '');
      assert.deepEqual((await merchant.events(late.of_id as string)).at(-1), 'payment.late_success');
      const journals = async () =>
        (await db.all({ text: 'select 1 from journals where kind like $1', values: ['reconciliation.%'] })).length;
      const posted = await journals();
      assert.ok(posted >= 2);
      // The refund that gives the late money back is younger than the statement.
      const again = (await compare(merchant, name, text, true)).filter(({ of_id }) => of_id !== late.of_id);
      assert.deepEqual(
        again.map(({ kind, key, state }) => [kind, key, state]),
        first.filter(({ kind }) => kind !== 'late').map(({ kind, key, state }) => [kind, key, state]),
      );
      assert.equal(await journals(), posted);
      assert.deepEqual(await differences(), []);
    });
  });
}
