import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { troubledLines } from '../../src/core/payout-batches/store.ts';
import { must } from '../../src/kit/errors.ts';
import { sql } from '../../src/kit/sql.ts';
import { type Api, FakeClock, startApi, until } from '../setup/api.ts';
import { HEAD, line, numbers, Payer, read, started, storedLines, withThreshold } from './bulk.ts';
import { formToken, type Shown, signedIn } from './people.ts';

let api: Api;
const clock = new FakeClock();

before(async () => {
  api = await startApi({ workers: false, clock });
});
after(() => api.stop());

/** Does something that pays out, and changes a beneficiary after all that is verified before the operation. */
async function changedMeanwhile<T>(beneficiary: string, act: () => Promise<T>): Promise<T> {
  const { db } = api.deps.stores.sandbox;
  let acting: Promise<T> | undefined;
  await db.transaction(async (tx) => {
    await tx.run(sql`lock table idempotency_keys in exclusive mode`);
    acting = act();
    await until(
      () => db.all(sql`select from pg_locks where not granted and relation = 'idempotency_keys'::regclass`),
      (waiting) => waiting.length > 0,
    );
    await db.run(sql`update beneficiaries set phone = '+237699999999' where id = ${beneficiary}`);
  });
  return acting as Promise<T>;
}

/** Pays lines of a list that was confirmed, as a process does that ends before it can record them. */
async function paidUnrecorded({ merchant }: Payer, list: string, to: number, from = 0): Promise<void> {
  await started(api, list);
  for (const { line: n, body } of (await storedLines(api, list)).slice(from, to)) {
    const headers = { 'Idempotency-Key': `bulk-${list.split('/').at(-1)}-${n}` };
    const sent = { key: merchant.sandbox.secret, headers, body: body as object };
    assert.equal((await api.call('POST', '/transfers', sent)).status, 201);
  }
}

const statuses = async (list: string) => (await storedLines(api, list)).map(({ status }) => status);

/** Presses the buttons of lists whose rows are locked until both requests wait: for their row, or for each other. */
async function pressedTogether(payer: Payer, lists: readonly string[]): Promise<Shown[]> {
  const { db } = api.deps.stores.sandbox;
  let pressed: Promise<Shown[]> | undefined;
  await db.transaction(async (tx) => {
    await tx.run(sql`select from payout_batches where id = any(${lists.map((list) => list.split('/').at(-1) ?? '')}) for update`);
    pressed = Promise.all(lists.map((list) => payer.press(list)));
    await until(
      () =>
        db.all(sql`
        select from pg_locks where not granted and pid in (select pid from pg_stat_activity where datname = current_database())`),
      (waiting) => waiting.length === lists.length,
    );
  });
  return must(pressed, 'they were pressed');
}

test('a line that was paid is done, although its beneficiary changed or its key was spent before that was recorded', async () => {
  const payer = await Payer.open(api, 50_000);
  const key = payer.merchant.sandbox.secret;
  const saved = { name: 'Kofi', channel: 'cm.orange', phone: '690000000' };
  const { id: beneficiary } = (await api.call('POST', '/beneficiaries', { key, body: saved })).body.beneficiary;
  const list = await payer.upload([HEAD, `${beneficiary},,,700,XAF,B`, line(2)].join('\n'));
  const id = list.split('/').at(-1);
  await paidUnrecorded(payer, list, 2);
  await api.call('PATCH', `/beneficiaries/${beneficiary}`, { key, body: { phone: '699999999' } });
  await api.deps.stores.sandbox.db.run(sql`
      update idempotency_keys set created_at = created_at - interval '2 days' where key = ${`bulk-${id}-2`}`);
  await payer.press(list);
  assert.deepEqual(await statuses(list), ['done', 'done']);
  assert.equal((await payer.transfers()).length, 2);
});

test('lines that were paid and not recorded are done, and the next one is paid, with the balance that they left', async () => {
  const payer = await Payer.open(api, 3_500);
  const list = await payer.upload([HEAD, line(1), line(2), line(3), line(4)].join('\n'));
  await paidUnrecorded(payer, list, 2);
  assert.match((await payer.press(list)).to ?? '', /stop=balance/);
  assert.deepEqual(await statuses(list), ['done', 'done', 'done', 'open']);
  assert.equal((await payer.transfers()).length, 3);
});

test('lines that another request pays after the balance was read leave less of it for the next ones', async () => {
  const payer = await Payer.open(api, 3_500);
  const list = await payer.upload([HEAD, line(1), line(2), line(3), line(4)].join('\n'));
  await paidUnrecorded(payer, list, 0);
  // The first payout waits, so the other lines are paid beside it.
  const { db } = api.deps.stores.sandbox;
  let pressed: Promise<Shown> | undefined;
  await db
    .transaction(async (tx) => {
      const id = list.split('/').at(-1);
      await tx.run(sql`
      insert into idempotency_keys (team_id, route, key, request_hash, created_at)
      values (${payer.merchant.team.id}, 'POST /transfers', ${`bulk-${id}-1`}, '', now())`);
      pressed = payer.press(list);
      await until(
        () =>
          db.all(sql`
        select from pg_locks where not granted and pid in (select pid from pg_stat_activity where datname = current_database())`),
        (waiting) => waiting.length > 0,
      );
      await paidUnrecorded(payer, list, 3, 1);
      throw new Error('rolled back');
    })
    .catch(() => undefined);
  await pressed;
  assert.deepEqual(await statuses(list), ['done', 'done', 'done', 'open']);
  assert.equal((await payer.transfers()).length, 3);
});

test('a line that waits for a second person and was not recorded so is not compared with the balance', async () => {
  const payer = await Payer.open(api, 2_500);
  await withThreshold(payer, 1_000_00n);
  const list = await payer.upload([HEAD, line(1, 2_000), line(2, 900)].join('\n'));
  const [first] = await storedLines(api, list);
  await payer.press(list);
  assert.deepEqual(await statuses(list), ['asked', 'done']);
  await api.deps.stores.sandbox.db.run(sql`
    update payout_batch_lines set status = 'open', result_id = null, body = ${JSON.stringify(first?.body)}::json
    where batch_id = ${list.split('/').at(-1)} and line = 1`);
  await payer.press(list);
  assert.deepEqual(await statuses(list), ['asked', 'done']);
});

test('a line that was paid and not recorded before the team had a threshold waits for nobody', async () => {
  const payer = await Payer.open(api, 50_000);
  const list = await payer.upload([HEAD, line(1), line(2)].join('\n'));
  await paidUnrecorded(payer, list, 1);
  await withThreshold(payer, 0n);
  await payer.press(list);
  assert.deepEqual(await statuses(list), ['done', 'asked']);
});

test('a beneficiary that changes while the list runs is not paid', async () => {
  const payer = await Payer.open(api, 50_000);
  const key = payer.merchant.sandbox.secret;
  const saved = { name: 'Kofi', channel: 'cm.orange', phone: '690000000' };
  const { id: beneficiary } = (await api.call('POST', '/beneficiaries', { key, body: saved })).body.beneficiary;
  const list = await payer.upload([HEAD, line(1), `${beneficiary},,,700,XAF,B`].join('\n'));
  await changedMeanwhile(beneficiary, () => payer.press(list));
  assert.deepEqual(await payer.references(), ['L-1']);
  assert.match(read((await payer.person.get(list)).text), /The beneficiary has changed since the list was checked/);
});

test('a single payout to a beneficiary that changes as it is sent is confirmed again', async () => {
  const payer = await Payer.open(api, 50_000);
  const key = payer.merchant.sandbox.secret;
  const saved = { name: 'Kofi', channel: 'cm.orange', phone: '690000000' };
  const { id: beneficiary } = (await api.call('POST', '/beneficiaries', { key, body: saved })).body.beneficiary;
  const page = payer.path.replace('/bulk', '/new');
  const values = { ...formToken((await payer.person.get(page)).text), beneficiary, amount: '700', currency: 'XAF' };
  const to = 'Kofi · +237690000000';
  const { text } = await changedMeanwhile(beneficiary, () => payer.person.post(page.replace('/new', '/send'), { ...values, to }));
  assert.match(read(text), /\+237699999999/);
  assert.deepEqual(await payer.transfers(), []);
});

test('the same list, uploaded twice before either is confirmed, is not paid twice without a confirmation', async () => {
  const payer = await Payer.open(api, 50_000);
  const csv = [HEAD, line(1), line(2)].join('\n');
  const lists = [await payer.upload(csv), await payer.upload(csv)] as const;
  for (const list of lists) assert.doesNotMatch(read((await payer.person.get(list)).text), /last 24 hours/);
  const answers = await pressedTogether(payer, lists);
  const again = answers.findIndex(({ to }) => to?.endsWith('stop=sure'));
  assert.equal(answers.filter(({ to }) => to?.includes('?go=')).length, 1);
  assert.deepEqual(await payer.references(), ['L-1', 'L-2']);
  const list = lists[again] as string;
  assert.match(read((await payer.person.get(list)).text), /Also pay out the lines that repeat a recipient and an amount: 2/);
  // It was confirmed for one line, and two are repeated by now.
  assert.equal((await payer.press(list, { sure: '1' })).to, `${list}?stop=sure`);
  await payer.press(list, { sure: '2' });
  assert.deepEqual(await payer.references(), ['L-1', 'L-1', 'L-2', 'L-2']);
});

test('a number that was paid, or that another list pays, is the same under another spelling of the name', async () => {
  const payer = await Payer.open(api, 50_000);
  const lineOf = (name: string) => `+237650000010,cm.mtn,${name},700,XAF,${name}`;
  const [first, second, third] = [
    await payer.upload([HEAD, lineOf('Ama Ngono')].join('\n')),
    await payer.upload([HEAD, lineOf('AMA NGONO'), line(2)].join('\n')),
    await payer.upload([HEAD, line(2).replace('cm.mtn,', 'cm.mtn,Kofi')].join('\n')),
  ];
  await payer.press(first);
  assert.equal((await payer.press(second)).to, `${second}?stop=sure`);
  assert.match(read((await payer.person.get(second)).text), /Also pay out the lines that repeat a recipient and an amount: 1/);
  await started(api, second);
  assert.equal((await payer.press(third)).to, `${third}?stop=sure`);
  assert.deepEqual(await payer.references(), ['Ama Ngono']);
});

test('a list whose payouts failed or were cancelled says so and shows their lines, unless they were paid late', async () => {
  const payer = await Payer.open(api, 50_000);
  const { db } = api.deps.stores.sandbox;
  const list = await payer.upload([HEAD, ...numbers(5).map((n) => line(n))].join('\n'));
  await payer.finish(list);
  await db.run(sql`
    update transfers set stage = 'closed', completed_at = now(), status = case when right(reference, 1) in ('2', '4', '5') then 'failed'
      when right(reference, 1) = '3' then 'cancelled' else 'succeeded' end, paid_late_at = case right(reference, 1) when '4' then now() end
    where team_id = ${payer.merchant.team.id}`);
  // A statement has shown the last one as paid.
  await db.run(sql`
    insert into journals (team_id, kind, source_id, subject_id)
    select team_id, 'reconciliation.late', id, id from transfers where team_id = ${payer.merchant.team.id} and right(reference, 1) = '5'`);
  assert.match(
    read((await payer.person.get(list)).text),
    /^[^.]*Finished, with failures .*Payouts that failed or were cancelled: 2\./,
  );
  assert.match(read((await payer.person.get(payer.path)).text), /5 Finished, with failures/);
  const ref = { team_id: payer.merchant.team.id, id: must(list.split('/').at(-1), 'it has an id') };
  assert.deepEqual(
    (await troubledLines(db, ref, [], 10)).map((one) => one.line),
    [2, 3],
  );
});

test('a list that was paused goes on when somebody presses the button, and not when its address is opened again', async () => {
  const payer = await Payer.open(api, 500_000);
  const list = await payer.upload([HEAD, ...numbers(30).map((n) => line(n))].join('\n'));
  const { to } = await payer.press(list);
  assert.match((await payer.person.get(to as string)).text, /data-go-on/);
  const [, at, mac] = /go=(\d+)\.(.+)$/.exec(to ?? '') ?? [];
  const colleague = await signedIn(api, 'finance', payer.merchant.team);
  assert.doesNotMatch((await colleague.get(to as string)).text, /data-go-on/, 'of another session');
  for (const go of [String(at), `${at}.`, `${Number(at) + 1}.${mac}`, `${clock.now()}`])
    assert.doesNotMatch((await payer.person.get(`${list}?go=${go}`)).text, /data-go-on/, go);
  clock.advance(60_000);
  const later = await payer.person.get(to as string);
  assert.doesNotMatch(later.text, /data-go-on/);
  assert.match(read(later.text), /25 of 30 lines\. Go on/);
});

test('a rejected line that was paid by another list meanwhile is tried again only when that is confirmed', async () => {
  const payer = await Payer.open(api, 500_000);
  const { db } = api.deps.stores.sandbox;
  const saved = { name: 'Kofi', channel: 'cm.orange', phone: '690000000' };
  const key = payer.merchant.sandbox.secret;
  const { id: beneficiary } = (await api.call('POST', '/beneficiaries', { key, body: saved })).body.beneficiary;
  const rejected = await payer.upload([HEAD, `${beneficiary},,,700,XAF,B`].join('\n'));
  await db.run(sql`update beneficiaries set phone = '+237699999999' where id = ${beneficiary}`);
  await payer.press(rejected);
  await db.run(sql`update beneficiaries set phone = '+237690000000' where id = ${beneficiary}`);
  await payer.press(await payer.upload([HEAD, `${beneficiary},,,700,XAF,C`].join('\n')));
  assert.deepEqual(await payer.references(), ['C']);
  assert.equal((await payer.press(rejected, {}, 'retry')).to, `${rejected}?stop=sure`);
  assert.match((await payer.person.get(rejected)).text, /name="sure"/);
  assert.deepEqual(await payer.references(), ['C']);
  await payer.press(rejected, { sure: '1' }, 'retry');
  assert.deepEqual(await payer.references(), ['B', 'C']);
});
