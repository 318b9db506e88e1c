import assert from 'node:assert/strict';
import fs from 'node:fs';
import { after, beforeEach, test } from 'node:test';
import { WORKER } from '../../src/tenants/audit/actor.ts';
import { must } from '../../src/kit/errors.ts';
import { sql } from '../../src/kit/sql.ts';
import { resolveAttempt } from '../../src/core/charge/resolve.ts';
import type { Simulator } from '../../simulators/kit/simulator.ts';
import { FakeClock, startApi, until } from '../setup/api.ts';
import { openLiveShop } from '../setup/live-shop.ts';
import { LinkBrowser, newLink, payBy } from './browser.ts';

/** When a payment takes one of `max_uses` of its link, and when it gives it back. In live, over a provider's simulator. */
const clock = new FakeClock();
const api = await startApi({ clock, env: { HOLD_MOBILE_MONEY: '0s' } });
const shop = await openLiveShop(api, ['pawapay']);
const { key } = shop;
const simulator = shop.simulators.pawapay as Simulator;
after(async () => {
  await api.stop();
  await shop.stop();
});
// Submits of a link are limited in each minute.
beforeEach(() => clock.advance(60_000));
const { db } = api.deps.stores.live;

/** The hosted page of a payment that was begun, and the payment. */
interface Begun {
  page: string;
  id: string;
}

async function begin(link: { id: string; url: string }): Promise<Begun> {
  // Ids of one millisecond are in no order.
  clock.advance(1);
  const { status, headers } = await payBy(link.url);
  assert.equal(status, 303);
  const { body } = await api.call('GET', `/links/${link.id}/payments`, { key });
  return { page: headers.get('location') as string, id: body.items[0].id };
}

async function pay({ page }: Begun, phone = '670100000') {
  const response = await fetch(page, {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    body: JSON.stringify({ channel: 'cm.mtn', phone }),
  });
  return { status: response.status, body: (await response.json()) as { error_code?: string; errors?: object } };
}

const payment = async (id: string) => (await api.call('GET', `/payments/${id}`, { key })).body.transaction;
const pageOf = async (url: string) => (await new LinkBrowser(url).open()).status;

function becomes(id: string, status: string) {
  return until(
    async () => {
      clock.advance(1_000);
      return payment(id);
    },
    (transaction) => transaction.status === status,
    60_000,
  );
}

/** The uses of a link that are paid, and those that a charge under way holds. */
async function uses(id: string): Promise<number[]> {
  const [row] = await db.all<{ succeeded_count: number; held_count: number; rows: number }>(sql`
    select succeeded_count, held_count, (select count(*)::integer from link_uses u where u.link_id = l.id) as rows from links l
    where id = ${id}`);
  assert.equal(row?.held_count, row?.rows);
  return [row?.succeeded_count ?? -1, row?.held_count ?? -1];
}

async function lateOf(id: string): Promise<number | undefined> {
  return (await db.maybe<{ late_count: number }>(sql`select late_count from links where id = ${id}`))?.late_count;
}

test('whoever begins payments and charges none of them takes no use: the link stays open, and a payer pays', async () => {
  const link = await newLink(api, key, { max_uses: 1 });
  const idle = [await begin(link), await begin(link), await begin(link)];
  assert.equal(await pageOf(link.url), 200);
  const paying = await begin(link);
  simulator.faults.script({ fault: 'stuck' });
  assert.equal((await pay(paying)).status, 202);
  assert.equal(await pageOf(link.url), 409);
  const meanwhile = await pay(idle[0] as Begun);
  assert.deepEqual([meanwhile.status, meanwhile.body.error_code], [409, 'link_full']);
  simulator.recover();
  await becomes(paying.id, 'succeeded');
  assert.equal(await pageOf(link.url), 410);
  const { status, body } = await pay(idle[0] as Begun);
  assert.deepEqual([status, body.error_code, Object.keys(body.errors ?? {})], [409, 'link_used', ['link']]);
  const charge = { key, body: { channel: 'cm.mtn', data: { phone: '670100000' } } };
  const byKey = await api.call('POST', `/payments/${idle[1]?.id}`, charge);
  assert.deepEqual([byKey.status, byKey.body.error_code], [409, 'link_used']);
  assert.deepEqual((await payment(idle[1]?.id as string)).attempts, []);
  await api.call('PATCH', `/links/${link.id}`, { key, body: { max_uses: 2 } });
  assert.equal((await pay(idle[2] as Begun)).status, 202);
});

test('the hosted page shows a message that the link has been used', async () => {
  const link = await newLink(api, key, { max_uses: 1 });
  const [late, first] = [await begin(link), await begin(link)];
  await pay(first);
  await becomes(first.id, 'succeeded');
  const browser = new LinkBrowser(late.page);
  await browser.open({ 'accept-language': 'fr' });
  const answer = await browser.submit({ channel: 'cm.mtn', phone: '670100000' }, { 'accept-language': 'fr' });
  assert.equal(answer.status, 409);
  assert.match(answer.text, /a atteint le nombre de paiements prévu/);
});

test('16 payers who charge at once for the last use: exactly one is charged', async () => {
  const link = await newLink(api, key, { max_uses: 1 });
  const begun = await Promise.all(Array.from({ length: 16 }, () => payBy(link.url)));
  const pages = begun.map(({ headers }) => ({ page: headers.get('location') as string, id: '' }));
  const answers = await Promise.all(pages.map((page, i) => pay(page, `6702000${String(i).padStart(2, '0')}`)));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [202, ...Array(15).fill(409)]);
  const [row] = await db.all<{ made: bigint }>(sql`
    select count(*) as made from attempts a join payments p on p.team_id = a.team_id and p.id = a.payment_id where p.key_id = ${link.id}`);
  assert.equal(row?.made, 1n);
});

test('a payment in tranches takes one use and keeps it between its charges', async () => {
  const link = await newLink(api, key, { max_uses: 1, amount: 1_200_000 });
  const { page, id } = await begin(link);
  const sums = new Set<string>();
  assert.equal((await pay({ page, id })).status, 202);
  await until(
    async () => {
      clock.advance(1_000);
      sums.add(String((await uses(link.id)).reduce((sum, count) => sum + count)));
      return payment(id);
    },
    ({ status }) => status === 'succeeded',
    60_000,
  );
  assert.deepEqual([...sums], ['1']);
  assert.equal((await payment(id)).attempts.length, 3);
  assert.deepEqual(await uses(link.id), [1, 0]);
});

test('a use is released when the charge ends without money: declined, or accepted by no provider', async () => {
  const link = await newLink(api, key, { max_uses: 1 });
  const declined = await begin(link);
  simulator.faults.script({ fault: 'stuck' });
  await pay(declined, '670000002');
  assert.deepEqual(await uses(link.id), [0, 1]);
  simulator.recover();
  await becomes(declined.id, 'failed');
  assert.deepEqual(await uses(link.id), [0, 0]);
  const untaken = await begin(link);
  await simulator.closePort();
  assert.equal((await pay(untaken)).status, 502);
  await simulator.openPort();
  assert.deepEqual([await uses(link.id), (await payment(untaken.id)).status], [[0, 0], 'pending']);
  assert.equal((await pay(untaken)).status, 202);
  await becomes(untaken.id, 'succeeded');
  assert.deepEqual(await uses(link.id), [1, 0]);
});

test('money that arrives after the use was released is counted, even beyond max_uses', async () => {
  const link = await newLink(api, key, { max_uses: 1 });
  const [early, other] = [await begin(link), await begin(link)];
  await simulator.closePort();
  assert.equal((await pay(early)).status, 502);
  await simulator.openPort();
  await pay(other);
  await becomes(other.id, 'succeeded');
  const ref = { team_id: shop.merchant.team.id, id: (await payment(early.id)).attempts[0].id };
  await resolveAttempt(api.deps, api.deps.stores.live, ref, { as: 'succeeded', evidence: 'statement', author: 'awa' }, WORKER);
  assert.equal((await payment(early.id)).status, 'succeeded');
  assert.deepEqual(await uses(link.id), [2, 0]);
  assert.equal(await pageOf(link.url), 410);
  assert.equal((await api.call('PATCH', `/links/${link.id}`, { key, body: { title: 'Another title' } })).status, 200);
});

test('a tranche that arrives after the use was given back is continued only with a use of the link', async () => {
  const late = async (max_uses: number, meanwhile: boolean) => {
    const link = await newLink(api, key, { max_uses, amount: 1_200_000 });
    const first = await begin(link);
    await simulator.closePort();
    assert.equal((await pay(first)).status, 502);
    await simulator.openPort();
    if (meanwhile) {
      const other = await begin(link);
      await pay(other);
      await becomes(other.id, 'succeeded');
    }
    const ref = { team_id: shop.merchant.team.id, id: (await payment(first.id)).attempts[0].id };
    await resolveAttempt(api.deps, api.deps.stores.live, ref, { as: 'succeeded', evidence: 'statement', author: 'awa' }, WORKER);
    return { link, first };
  };
  const free = await late(1, false);
  await becomes(free.first.id, 'succeeded');
  assert.deepEqual([await uses(free.link.id), await lateOf(free.link.id)], [[1, 0], 0]);
  const used = await late(1, true);
  // The worker tries to send the next tranche, gets 409 and stops.
  await until(
    async () => {
      clock.advance(1_000);
      return db.maybe<{ waits: boolean }>(sql`select continue_at is not null as waits from payments where id = ${used.first.id}`);
    },
    (row) => row?.waits === false,
    30_000,
  );
  const { status, body } = await pay(used.first);
  assert.deepEqual([status, body.error_code], [409, 'link_used']);
  assert.equal((await payment(used.first.id)).attempts.length, 1);
  assert.deepEqual(await uses(used.link.id), [1, 0]);
  clock.advance(31 * 60_000);
  await becomes(used.first.id, 'expired');
  assert.deepEqual([await uses(used.link.id), await lateOf(used.link.id)], [[1, 0], 0]);
});

test('the database rejects more uses than max_uses, and two uses by one payment', async () => {
  const { id } = await newLink(api, key, { max_uses: 1 });
  await assert.rejects(db.run(sql`update links set succeeded_count = 1, held_count = 1 where id = ${id}`), /links_uses/);
  const take = sql`insert into link_uses (team_id, payment_id, link_id) values (${shop.merchant.team.id}, 'trx_x', ${id})`;
  await db.run(take);
  await assert.rejects(db.run(take), /link_uses_pkey/);
});

test('after an upgrade, payments that are being charged have their use, and pending ones have none', async () => {
  const link = await newLink(api, key, { max_uses: 2 });
  await begin(link);
  const charged = await begin(link);
  simulator.faults.script({ fault: 'stuck' });
  await pay(charged);
  await db.run(sql`delete from link_uses`);
  await db.run(sql`update links set held_count = 0`);
  const migration = fs.readFileSync(new URL('../../migrations/store/0062_link_uses.sql', import.meta.url), 'utf8');
  for (const found of [/insert into link_uses[^;]*;/, /update links l set held_count[^;]*;/]) {
    await db.run({ text: must(found.exec(migration)?.[0], 'the migration has it'), values: [] });
  }
  assert.deepEqual(await uses(link.id), [0, 1]);
  simulator.recover();
  await becomes(charged.id, 'succeeded');
  assert.deepEqual(await uses(link.id), [1, 0]);
});

test('200 max_uses may be lowered to the uses that are taken, and no further', async () => {
  const link = await newLink(api, key, { max_uses: 3 });
  for (let paid = 0; paid < 2; paid++) {
    const begun = await begin(link);
    await pay(begun, `67010005${paid}`);
    await becomes(begun.id, 'succeeded');
  }
  const lower = (max_uses: number) => api.call('PATCH', `/links/${link.id}`, { key, body: { max_uses } });
  assert.deepEqual([(await lower(1)).status, (await lower(2)).status], [422, 200]);
  assert.equal(await pageOf(link.url), 410);
});
