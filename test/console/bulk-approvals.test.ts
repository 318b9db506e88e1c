import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { must } from '../../src/kit/errors.ts';
import { newId } from '../../src/kit/ids.ts';
import { sql } from '../../src/kit/sql.ts';
import { type Api, startApi } from '../setup/api.ts';
import { HEAD, line, numbers, Payer, read, withThreshold } from './bulk.ts';
import { formToken, type Person, signedIn } from './people.ts';

let api: Api;
const statements: string[] = [];

before(async () => {
  const listen = ({ text }: { text: string }) => {
    statements.push(text);
    return null;
  };
  api = await startApi({ workers: false, watch: () => listen });
});
after(() => api.stop());

/** Paths of the approvals of a list, by the numbers of their lines. */
async function approvalsOf(payer: Payer, list: string): Promise<(number: number) => string> {
  const rows = await api.deps.stores.sandbox.db.all<{ line: number; result_id: string }>(
    sql`select line, result_id from payout_batch_lines where batch_id = ${list.split('/').at(-1)} and status = 'asked'`,
  );
  const ids = new Map(rows.map((row) => [row.line, row.result_id]));
  return (number) => `/console/${payer.merchant.team.id}/sandbox/approvals/${ids.get(number)}`;
}

async function press(person: Person, path: string, name: string): Promise<void> {
  const { text } = await person.get(path);
  assert.equal((await person.post(`${path}/${name}`, formToken(text.slice(text.indexOf('<main'))))).status, 303, text);
}

/** What the table of lines says about each line: number, then state. */
function statesOf(text: string): string[] {
  const table = text.slice(text.lastIndexOf('<tbody>'));
  return [...table.matchAll(/<tr>([\s\S]*?)<\/tr>/g)].map(([, row = '']) => {
    const cells = [...row.matchAll(/<td[^>]*>([\s\S]*?)<\/td>/g)].map(([, cell = '']) => cell);
    const state = /<span class="badge[^"]*">(?:<[^>]+><\/[^>]+>)?([^<]*)</.exec(cells[3] ?? '')?.[1];
    const path = /href="[^"]*\/(approvals|payouts)\//.exec(cells[4] ?? '')?.[1];
    return `${state?.trim()} ${path ?? '—'}`;
  });
}

test('lines that were sent to a second person follow the decision, on the page of the list and in its counts', async () => {
  const payer = await Payer.open(api, 50_000);
  const checker = await signedIn(api, 'finance', payer.merchant.team);
  await withThreshold(payer, 1_000_00n);
  const amounts = [30_000, 30_001, 5_000, 5_001, 5_002, 5_003, 500];
  const key = payer.merchant.sandbox.secret;
  const kofi = { name: 'Kofi', channel: 'cm.orange', phone: '690000000' };
  const { id: beneficiary } = (await api.call('POST', '/beneficiaries', { key, body: kofi })).body.beneficiary;
  const lines = [...amounts.map((amount, i) => line(i + 1, amount)), `${beneficiary},,,5004,XAF,B`];
  const list = await payer.upload([HEAD, ...lines].join('\n'));
  await payer.press(list);
  const before = await payer.person.get(list);
  const asked = 'Sent for approval approvals';
  assert.deepEqual(statesOf(before.text), [asked, asked, asked, asked, asked, asked, 'Processing payouts', asked]);
  assert.match(read(before.text), /Waits for a second person.*8 of 8 lines\. 7 were sent to a second person\./);
  assert.match(read((await payer.person.get(payer.path)).text), /8 Waits for a second person/);

  const at = await approvalsOf(payer, list);
  await press(checker, at(1), 'approve');
  // The balance has 50,000: the payout of the second one is made, and fails.
  await press(checker, at(2), 'approve');
  await api.call('DELETE', `/beneficiaries/${beneficiary}`, { key });
  await press(checker, at(8), 'approve');
  await press(checker, at(3), 'reject');
  await press(payer.person, at(4), 'withdraw');
  const id = at(5).split('/').at(-1);
  await api.control.run(sql`update approvals set expires_at = pirogue_now() - interval '1 second' where id = ${id}`);
  const { text } = await payer.person.get(list);
  assert.deepEqual(statesOf(text), [
    'Processing payouts',
    'Failed payouts',
    'Rejected approvals',
    'Withdrawn approvals',
    'Expired approvals',
    asked,
    'Processing payouts',
    'Failed approvals',
  ]);
  assert.match(
    read(text),
    /7 were sent to a second person\. Of these, approved and made: 2\. Not approved: 3\. Approved, but failed: 1\./,
  );
  assert.match(read(text), /Waits for a second person/, 'one line still does');
  const [made] = (await payer.transfers()).filter(({ reference }) => reference === 'L-1');
  assert.ok(made && text.includes(`/payouts/${made.id}"`));
  assert.ok(!/\/retry\?/.test(text), 'nobody pays by another button what was not approved');

  await press(checker, at(6), 'reject');
  assert.match(read((await payer.person.get(list)).text), /^[^.]*Finished, with failures/);
  assert.match(read((await payer.person.get(payer.path)).text), /8 Finished, with failures/);
});

test('the overview says of a list that a second person approved what its page says', async () => {
  const payer = await Payer.open(api, 50_000);
  const checker = await signedIn(api, 'finance', payer.merchant.team);
  await withThreshold(payer, 1_000_00n);
  const list = await payer.upload([HEAD, line(1, 5_000), line(2, 5_001)].join('\n'));
  await payer.press(list);
  const at = await approvalsOf(payer, list);
  for (const number of [1, 2]) await press(checker, at(number), 'approve');
  const overview = async () => read((await payer.person.get(payer.path)).text);
  assert.match(await overview(), /2 Finished(?!, with failures)/);
  const { db } = api.deps.stores.sandbox;
  const second = sql`select id from transfers where team_id = ${payer.merchant.team.id} and reference = 'L-2'`;
  const { id } = must(await db.maybe<{ id: string }>(second), 'the second line was paid');
  await db.run(sql`update transfers set stage = 'closed', completed_at = now(), status = 'failed' where id = ${id}`);
  assert.match(await overview(), /2 Finished, with failures/);
  await db.run(sql`update transfers set paid_late_at = now() where id = ${id}`);
  assert.match(await overview(), /2 Finished(?!, with failures)/);
});

test('a list of any length reads its approvals in one statement, and lines that were not approved are those to look at', async () => {
  const payer = await Payer.open(api, 500_000);
  const checker = await signedIn(api, 'finance', payer.merchant.team);
  const lines = Array.from({ length: 120 }, (_, i) => line(i + 1, i < 100 ? 100 : 1_500));
  const list = await payer.upload([HEAD, ...lines].join('\n'));
  await withThreshold(payer, 1_000_00n);
  await payer.finish(list);
  const at = await approvalsOf(payer, list);
  await press(checker, at(110), 'reject');
  statements.length = 0;
  const { text } = await payer.person.get(list);
  const about = (table: string) => statements.filter((one) => new RegExp(`from ${table}\\b[^;]*any\\(`).test(one)).length;
  assert.deepEqual([about('approvals'), about('transfers')], [1, 0]);
  assert.match(read(text), /Lines to look at .* 111 \+237650000110 FCFA 1,500 Rejected/);
});

test('a list is compared with lines that wait for a second person, however long, and not with those that never will be paid', async () => {
  const payer = await Payer.open(api, 500_000);
  const checker = await signedIn(api, 'finance', payer.merchant.team);
  await withThreshold(payer, 1_000_00n);
  const csv = [HEAD, ...[1, 2, 3, 4, 5, 6].map((n) => line(n, 5_000))].join('\n');
  const [first, second] = [await payer.upload(csv), await payer.upload(csv)];
  await payer.press(first);
  const at = await approvalsOf(payer, first);
  const idOf = (number: number) => at(number).split('/').at(-1);
  await press(checker, at(1), 'reject');
  await press(payer.person, at(2), 'withdraw');
  const { db } = api.deps.stores.sandbox;
  await api.control.run(sql`update approvals set expires_at = pirogue_now() - interval '1 second' where id = ${idOf(3)}`);
  // It was approved on its last day, which was two days ago, and has not run yet.
  const old = newId('apv', 'sandbox', Date.now() - 5 * 86_400_000);
  await api.control.run(sql`
    update approvals set id = ${old}, decision = 'approved', decided_by = ${checker.id}, decided_session = 'ses_test', decided_at = pirogue_now()
    where id = ${idOf(5)}`);
  await db.run(sql`update payout_batch_lines set result_id = ${old} where result_id = ${idOf(5)}`);
  // It was approved, paid and is known from the payouts of the last day.
  await press(checker, at(6), 'approve');
  await db.run(sql`
    update payout_batches set started_at = started_at - interval '5 days' where id = ${first.split('/').at(-1)}`);
  assert.equal((await payer.press(second)).to, `${second}?stop=sure`);
  assert.match(read((await payer.person.get(second)).text), /Also pay out the lines that repeat a recipient and an amount: 3/);
  const repeated = await db.all<{ line: number }>(sql`
    select line from payout_batch_lines where batch_id = ${second.split('/').at(-1)} and repeats = 'recent' order by line`);
  assert.deepEqual(
    repeated.map((row) => row.line),
    [4, 5, 6],
  );
});

test('a list is compared with single payouts that wait: for a second person, or for longer than a day for their provider', async () => {
  const payer = await Payer.open(api, 500_000);
  const { team } = payer.merchant;
  const { db } = api.deps.stores.sandbox;
  const key = payer.merchant.sandbox.secret;
  const kofi = { name: 'Kofi', channel: 'cm.orange', phone: '690000000' };
  const { id: beneficiary } = (await api.call('POST', '/beneficiaries', { key, body: kofi })).body.beneficiary;
  await withThreshold(payer, 1_000_00n);
  const base = `/console/${team.id}/sandbox/payouts`;
  const send = (values: Record<string, string>) =>
    payer.person.submit(`${base}/new`, `${base}/send`, { currency: 'XAF', ...values });
  const direct = { number: '650000001', channel: 'cm.mtn', to: '+237650000001', amount: '5000' };
  const saved = { beneficiary, to: 'Kofi · +237690000000', amount: '5001' };
  for (const one of [direct, saved]) assert.match((await send(one)).to ?? '', /\/approvals\//);
  // It waits for its provider since the day before yesterday.
  const { to } = await send({ number: '650000003', channel: 'cm.mtn', to: '+237650000003', amount: '900' });
  const old = newId('po', 'sandbox', Date.now() - 2 * 86_400_000);
  await db.run(sql`update transfers set id = ${old} where id = ${/po_test_\w+/.exec(to ?? '')?.[0]}`);
  const list = await payer.upload(
    [HEAD, line(1, 5_000), `+237690000000,cm.orange,Another,5001,XAF,K`, line(3, 900), line(4, 900)].join('\n'),
  );
  assert.equal((await payer.press(list)).to, `${list}?stop=sure`);
  const repeated = await db.all<{ line: number }>(sql`
    select line from payout_batch_lines where batch_id = ${list.split('/').at(-1)} and repeats = 'recent' order by line`);
  assert.deepEqual(
    repeated.map((row) => row.line),
    [1, 2, 3],
  );
});

test('an approved payout that was paid after it had failed is not counted as unpaid, and its line is not one to look at', async () => {
  const payer = await Payer.open(api, 500_000);
  const checker = await signedIn(api, 'finance', payer.merchant.team);
  await withThreshold(payer, 1_000_00n);
  const list = await payer.upload(
    [HEAD, line(1, 5_001), line(2, 5_002), ...numbers(110).map((n) => line(n + 2, 100))].join('\n'),
  );
  await payer.press(list);
  const at = await approvalsOf(payer, list);
  for (const number of [1, 2]) await press(checker, at(number), 'approve');
  const { db } = api.deps.stores.sandbox;
  await db.run(sql`
    update transfers set stage = 'closed', completed_at = now(), status = 'failed', paid_late_at = case reference when 'L-2' then now() end
    where team_id = ${payer.merchant.team.id} and reference in ('L-1', 'L-2')`);
  const text = read((await payer.person.get(list)).text);
  assert.match(text, /Payouts that failed or were cancelled: 1\. Their amounts are back/);
  assert.match(text, /Lines to look at .* 2 \+237650000001 FCFA 5,001 Failed .* Lines /);
  assert.doesNotMatch(/Lines to look at (.*?) Lines /.exec(text)?.[1] ?? '', /5,002/);
});
