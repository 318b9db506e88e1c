import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { paid } from '../setup/pay.ts';
import { pirogue } from './command.ts';
import { idsOf, type MerchantLine, openMerchantLine } from './merchant.ts';

let line: MerchantLine;
/** Ids of the merchant's payments in the sandbox, newest first. */
const payments: string[] = [];
before(async () => {
  line = await openMerchantLine();
  for (const [amount, reference] of [
    [2_500_000, 'order-1'],
    [5_000, '=1+1'],
    [7_000, 'red\u202etxt'],
  ] as const) {
    payments.unshift(await line.create({ amount, currency: 'XAF', reference, phone: '+237650000000', name: 'Awa' }));
  }
});
after(() => line.close());

describe('payments list', () => {
  test('the table has separators and currencies, newest first, and text from outside cannot control the terminal', async () => {
    const { code, stdout, stderr } = await line.run(['payments', 'list']);
    assert.deepEqual([code, stderr], [0, '']);
    const [head, ...rows] = stdout.trimEnd().split('\n');
    assert.match(head as string, /^PAYMENT +CREATED +AMOUNT +STATUS +CHANNEL +REFERENCE$/);
    assert.deepEqual(
      rows.map((row) => row.split(' ')[0]),
      payments,
    );
    assert.match(rows[2] as string, / \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ +2,500,000 XAF +pending +order-1$/);
    assert.match(rows[0] as string, /red\ufffdtxt$/);
  });

  test('--json is the answer of the API, page by page by its cursors', async () => {
    const first = await line.json('payments', 'list', '--limit', '2');
    const { items, meta } = await line.get('/payments?per_page=2&cursor=');
    assert.deepEqual(first, { items, meta });
    const second = await line.json('payments', 'list', '--limit', '2', '--cursor', meta.next_cursor);
    assert.deepEqual([...idsOf(first), ...idsOf(second)], payments);
  });

  test('the cursor of the next page is printed on stderr, and leads there', async () => {
    const { stdout, stderr } = await line.run(['payments', 'list', '--limit', '2', '--csv']);
    assert.equal(stdout.trimEnd().split('\n').length, 3);
    const cursor = /^there are more: --cursor (\S+)\n$/.exec(stderr)?.[1] as string;
    const next = await line.run(['payments', 'list', '--limit', '2', '--csv', '--cursor', cursor]);
    assert.deepEqual([next.stdout.split('\n')[1]?.split(',')[0], next.stderr], [payments[2], '']);
  });

  test('--csv quotes text that a spreadsheet would evaluate, and no numbers', async () => {
    const { stdout } = await line.run(['payments', 'list', '--csv']);
    const [head, , second] = stdout.split('\n');
    assert.equal(head, 'id,created_at,status,amount,currency,channel,reference,description,sandbox');
    assert.match(second as string, /,pending,5000,XAF,,'=1\+1,,true$/);
  });

  test('the filters are those of the API', async () => {
    const day = new Date().toISOString().slice(0, 10);
    const list = async (...args: string[]) => idsOf(await line.json('payments', 'list', ...args));
    assert.deepEqual(await list('--amount-min', '6000', '--amount-max', '8000'), [payments[0]]);
    assert.deepEqual(await list('--search', 'order-1', '--status', 'pending'), [payments[2]]);
    assert.deepEqual(await list('--status', 'succeeded'), []);
    assert.deepEqual(await list('--date-from', '2020-01-01', '--date-to', day), payments);
    assert.deepEqual(await list('--date-to', '2020-01-01'), []);
    assert.equal((await line.run(['payments', 'list', '--status', 'failed'])).stdout, 'none found\n');
  });

  test('colour only when a person watches, or with FORCE_COLOR', async () => {
    const plain = await line.run(['payments', 'list']);
    assert.ok(!plain.stdout.includes('\u001b'));
    const forced = await line.run(['payments', 'list'], { FORCE_COLOR: '1' });
    assert.ok(forced.stdout.includes('\u001b[33mpending\u001b[39m'));
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are what is removed
    assert.equal(forced.stdout.replaceAll(/\u001b\[\d+m/g, ''), plain.stdout);
    assert.ok(!(await line.run(['payments', 'list', '--csv'], { FORCE_COLOR: '1' })).stdout.includes('\u001b'));
  });

  test('an invalid value is a usage error on one line, with what to do', async () => {
    for (const [args, wanted] of [
      [['--cursor', 'abc'], /^pirogue: --cursor is not a cursor of this list/],
      [['--date-from', '2026-02-02', '--date-to', '2026-02-01'], /^pirogue: --date-to must not be before date_from/],
      [['--date-from', '2026-02-30'], /Use a day such as 2026-01-31/],
      [['--amount-min', '-5'], /Use an amount in major units/],
      [['--status', 'paid'], /Allowed choices are pending/],
      [['--csv', '--json'], /'--csv' cannot be used with option '--json'/],
    ] as const) {
      const { code, stdout, stderr } = await line.run(['payments', 'list', ...args]);
      assert.deepEqual([code, stdout, stderr.split('\n').length], [2, '', 2], stderr);
      assert.match(stderr, wanted);
      assert.match(stderr, /--help/);
    }
  });
});

describe('payments show', () => {
  test('shows the payment as the API does; the id selects the environment', async () => {
    const id = await paid(line.api, { key: line.merchant.sandbox.secret, amount: 1_234_567 });
    assert.deepEqual(await line.json('payments', 'show', id), (await line.get(`/payments/${id}`)).transaction);
    const { stdout } = await line.run(['payments', 'show', id]);
    assert.match(stdout, /^amount +1,234,567 XAF$/m);
    assert.match(stdout, /^fee +24,691 XAF$/m);
    assert.match(stdout, /^att_test_\w+ +\S+Z +sandbox +cm\.mtn +succeeded$/m);
    const live = await line.create({ amount: 900, currency: 'XAF', phone: '+237670100000' }, line.merchant.live.secret);
    assert.equal((await line.json('payments', 'show', live)).sandbox, false);
    assert.deepEqual(idsOf(await line.json('payments', 'list', '--environment', 'live')), [live]);
  });

  test('another id, environment or team is refused', async () => {
    const [id] = payments as [string];
    const show = (...args: string[]) => line.run(['payments', 'show', ...args]);
    assert.match((await show('cus_test_1')).stderr, /^pirogue: cus_test_1 is not an id of this kind\. Use the trx_…/);
    assert.match((await show(id, '--environment', 'live')).stderr, /is an id of sandbox\. Leave out/);
    const theirs = await line.run(['payments', 'show', id], {}, await line.api.newMerchant());
    assert.deepEqual([theirs.code, theirs.stdout], [1, '']);
    assert.equal(theirs.stderr, 'pirogue: Payment Not Found. Check the id and the team (--team).\n');
    const none = await pirogue(['payments', 'list'], { DATA_DIR: line.env.DATA_DIR as string });
    assert.match(none.stderr, /^pirogue: there is no demo team: .* Select a team with --team/);
  });
});
