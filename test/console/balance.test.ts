import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { DbPool } from '../../src/platform/db/pool.ts';
import { sql } from '../../src/kit/sql.ts';
import { countDays, teamsToCount } from '../../src/money/ledger/days.ts';
import { sweepsOf } from '../../src/program/program.ts';
import type { Team } from '../../src/tenants/teams/schema.ts';
import { findTeam } from '../../src/tenants/teams/store.ts';
import { openOwner } from '../archive/fixture.ts';
import { Market, type Shop } from '../setup/market.ts';
import { SimulatedProvider } from '../setup/simulated-provider.ts';
import { type Person, signedIn } from './people.ts';

const DAY_MS = 86_400_000;
/** Balances in the addresses of pages; the first is the total. */
const FIGURES = ['', 'available', 'pending', 'reserved', 'hold', 'disputed', 'in.transit', 'credit'];

let market: Market;
let owner: DbPool;
let shop: Shop;
let reader: Person;
let base: string;
/** A subaccount, and one with which payments are shared too. */
let seller: string;

before(async () => {
  market = await Market.open();
  owner = openOwner(market.api.databases.live);
  shop = await market.shop('live', new SimulatedProvider('simulated', { collect: ['at_once'], refund: ['at_once'] }));
  const team = (await findTeam(market.api.deps.stores.control, shop.team_id)) as Team;
  reader = await signedIn(market.api, 'read_only', team);
  base = `/console/${team.id}/live/balance`;
  seller = await shop.account({ type: 'percentage', value: 10 });
  const other = await shop.account({ type: 'percentage', value: 20 });
  const paid = await shop.paid({ amount: 10_000 });
  const shared = await shop.paid({ amount: 8_000, account: seller });
  await shop.paid({ amount: 6_000, account: other });
  await shop.paid({ amount: 2_000, currency: 'NGN', account: seller });
  await shop.paid({ amount: 3_000, currency: 'NGN' });
  await shop.refund(paid, 2_500);
  await shop.pass(60_000);
  const long_ago = await lastJournal();
  await shop.pass(2 * DAY_MS);
  await shop.paid({ amount: 40_000 });
  await shop.refund(shared, 1_500);
  await shop.pass(60_000);
  const then = await lastJournal();
  assert.equal((await shop.transfer(1_000)).body.transfer.status, 'processing');
  await shop.pass(DAY_MS);
  await shop.dispute(await shop.paid({ amount: 700 }));
  await shop.dispute(await shop.paid({ amount: 900, account: seller }));
  const lately = await lastJournal();
  // Journals have the time of the database, which no test moves. Ids and times have the same order, and no part of them is in two days.
  await owner.run(sql`
    update journals set created_at = now() - interval '1 day' * (case when id <= ${long_ago} then 45 when id <= ${then} then 44 else 1 end)
    where id <= ${lately}`);
  await addUp();
  // What comes now is read from the journals.
  await shop.paid({ amount: 15_500 });
  await shop.paid({ amount: 3_300, account: seller });
  assert.equal((await shop.transfer(500)).body.transfer.status, 'processing');
  await shop.pass(60_000);
  const [count] = await shop.store.db.all<{ counted_to: bigint }>(
    sql`select counted_to from balance_day_counts where team_id = ${shop.team_id}`,
  );
  assert.equal(count?.counted_to, lately + 1n);
});
after(async () => {
  await owner.close();
  await market.api.stop();
});

async function lastJournal(): Promise<bigint> {
  const row = await owner.maybe<{ id: bigint }>(sql`select max(id) as id from journals where team_id = ${shop.team_id}`);
  return row?.id ?? 0n;
}

/** Path of the balance of the subaccount. */
const ofSeller = () => base.replace('/balance', `/subaccounts/${seller}/balance`);

/** What the worker does in the background, until nothing is left. Transactions of other tests on the same server can delay it. */
async function addUp(): Promise<void> {
  const { deps } = market.api;
  const sweep = sweepsOf(deps, deps.stores.live).find(({ name }) => name === 'ledger-days');
  assert.ok(sweep);
  while ((await teamsToCount(deps.stores.live.db, [shop.team_id])).length > 0) await sweep.round();
}

/** Days with opening, in, out and closing in hundredths, added up from the postings, the newest first. */
async function recount(figure: string, currency: string, subaccount = ''): Promise<string[]> {
  const names = figure === '' ? FIGURES.slice(1) : [figure];
  const accounts = subaccount === '' ? names : names.map((name) => `${name}:${subaccount}`);
  const rows = await shop.store.db.all<{ day: string; kind: string; amount: bigint }>(sql`
    select to_char(j.created_at at time zone 'UTC', 'YYYY-MM-DD') as day, split_part(j.kind, ':', 1) as kind,
      sum(case when p.credit = a.account then p.amount_minor else -p.amount_minor end)::bigint as amount
    from journals j join postings p on p.team_id = j.team_id and p.journal_id = j.id
    join unnest(${accounts}::text[]) a (account) on a.account in (p.debit, p.credit)
    where j.team_id = ${shop.team_id} and p.currency = ${currency} group by 1, 2 order by 1`);
  const lines: string[] = [];
  let balance = 0n;
  for (const [day, kinds] of Map.groupBy(rows, (row) => row.day)) {
    const [more, less] = [1n, -1n].map((sign) =>
      kinds.reduce((sum, { amount }) => (amount * sign > 0n ? sum + amount : sum), 0n),
    ) as [bigint, bigint];
    if (more === 0n && less === 0n) continue;
    const opening = balance;
    balance += more + less;
    lines.unshift([day, opening, more, less, balance].join(' '));
  }
  return lines;
}

/** An amount of a page in hundredths. */
function hundredths(text: string): bigint {
  const digits = text.replace(/[^\d.]/g, '');
  const [whole = '0', cents = ''] = digits.split('.');
  const amount = BigInt(whole || '0') * 100n + BigInt(cents.padEnd(2, '0') || '0');
  return text.includes('−') ? -amount : amount;
}

/** The lines of the statement of a page, as {@link recount} has them. */
function statement(text: string): string[] {
  const rows = text.split('<tr>').filter((row) => /\/balance\/\d{4}-/.test(row));
  return rows.map((row) => {
    const day = /\/balance\/(\d{4}-\d\d-\d\d)/.exec(row)?.[1];
    const amounts = [...row.matchAll(/class="number">([^<]*)</g)].map(([, amount = '']) => hundredths(amount));
    return [day, ...amounts].join(' ');
  });
}

/** The day on which the last journals were posted. */
async function lastDay(): Promise<string> {
  return (await recount('', 'XAF'))[0]?.slice(0, 10) ?? '';
}

/** The statement of every month, the newest first. */
async function wholeStatement(figure: string, currency: string, at = base): Promise<string[]> {
  const lines: string[] = [];
  for (let path = `${at}?currency=${currency}&balance=${figure}&month=${(await lastDay()).slice(0, 7)}`; path !== ''; ) {
    const { status, text } = await reader.get(path);
    assert.equal(status, 200);
    lines.push(...statement(text));
    path = /rel="prev" href="([^"]+)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '';
  }
  return lines;
}

describe('the statement', () => {
  const equalsRecount = async () => {
    const days: number[] = [];
    for (const currency of ['XAF', 'NGN']) {
      for (const figure of FIGURES) {
        const shown = await wholeStatement(figure, currency);
        assert.deepEqual(shown, await recount(figure, currency), `${figure} in ${currency}`);
        days.push(shown.length);
      }
    }
    assert.deepEqual([days[0], days[8]], [4, 1], 'days on which XAF and NGN moved');
  };
  const equalsRecountOfSubaccount = async () => {
    const days: number[] = [];
    for (const currency of ['XAF', 'NGN']) {
      for (const figure of FIGURES) {
        const shown = await wholeStatement(figure, currency, ofSeller());
        assert.deepEqual(shown, await recount(figure, currency, seller), `${figure} in ${currency}`);
        days.push(shown.length);
      }
    }
    assert.deepEqual([days[0], days[8]], [4, 1], 'days on which XAF and NGN moved');
  };

  test('equals a recount of the postings, for each balance and their total', equalsRecount);

  test('of a subaccount does so too, without those of the team and of other subaccounts', equalsRecountOfSubaccount);

  test('stays so while the background adds everything up, each journal once with several workers', async () => {
    await Promise.all([1, 2, 3].map(() => countDays(market.api.deps.stores.live.of(shop.team_id).db, shop.team_id)));
    await addUp();
    const left = await shop.store.db.all(sql`
      select id from journals where team_id = ${shop.team_id}
        and id >= (select counted_to from balance_day_counts where team_id = ${shop.team_id})`);
    assert.equal(left.length, 0, 'everything is added up');
    await equalsRecount();
    await equalsRecountOfSubaccount();
  });

  test('of a subaccount is added up after those of the team where an earlier release had added up only these', async () => {
    const progress = () =>
      shop.store.db.maybe<{ counted_to: bigint; subaccounts_counted_to: bigint }>(
        sql`select counted_to, subaccounts_counted_to from balance_day_counts where team_id = ${shop.team_id}`,
      );
    const whole = await progress();
    await owner.run(sql`delete from subaccount_balance_days where team_id = ${shop.team_id}`);
    await owner.run(sql`update balance_day_counts set subaccounts_counted_to = 0 where team_id = ${shop.team_id}`);
    await equalsRecountOfSubaccount();
    await Promise.all([1, 2].map(() => countDays(market.api.deps.stores.live.of(shop.team_id).db, shop.team_id)));
    await addUp();
    assert.deepEqual(await progress(), whole);
    await equalsRecount();
    await equalsRecountOfSubaccount();
  });

  test('closes with the figures that GET /balance returns', async () => {
    market.clock.advance(200_000);
    const { text } = await reader.get(`${base}?currency=XAF&month=${(await lastDay()).slice(0, 7)}`);
    const { balance } = (await shop.call('GET', '/balance?currency=XAF')).body;
    const shown = [...text.matchAll(/data-head="Amount" class="number">([^<]*)</g)].map(([, amount = '']) => hundredths(amount));
    const figures = ['total', ...FIGURES.slice(1)].map((name) => BigInt(Math.round(balance[name] * 100)));
    assert.deepEqual(shown, figures);
    assert.equal(statement(text)[0]?.split(' ').at(-1), String(figures[0]));
    assert.ok(figures.filter((figure) => figure !== 0n).length > 3);
  });

  test('of a subaccount closes with its own figures, and those of another subaccount are another', async () => {
    const month = (await lastDay()).slice(0, 7);
    const { text } = await reader.get(`${ofSeller()}?currency=XAF&month=${month}`);
    const { balance } = (await shop.call('GET', '/balance?currency=XAF', undefined, { 'X-Sync': seller })).body;
    const shown = [...text.matchAll(/data-head="Amount" class="number">([^<]*)</g)].map(([, amount = '']) => hundredths(amount));
    assert.deepEqual(
      shown,
      ['total', ...FIGURES.slice(1)].map((name) => BigInt(Math.round(balance[name] * 100))),
    );
    assert.equal(statement(text)[0]?.split(' ').at(-1), String(shown[0]));
    assert.ok((shown[0] ?? 0n) > 0n);
    assert.match((await reader.get(base.replace('/balance', `/subaccounts/${seller}`))).text, /Statement by day/);
    assert.equal((await reader.get(ofSeller().replace(seller, `${seller.slice(0, -1)}0`))).status, 404);
    const none = await reader.get(`${ofSeller()}?currency=GHS`);
    assert.match(none.text, /<h1>[^<]* · GHS<\/h1>/, 'the currency that was chosen, although nothing has moved in it');
    assert.match(none.text, /No movement in this month/);
  });
});

test('while more than a hundred thousand journals are not added up, the page has the figures and says why it has no statement', async () => {
  const { team } = await market.api.newMerchant();
  const { id } = team;
  const owned = await signedIn(market.api, 'owner', team);
  await owner.run(sql`
    insert into journals (team_id, kind, source_id, subject_id)
    select ${id}, 'payment.succeeded', 'att_' || n, 'trx_' || n from generate_series(0, 100000) n`);
  const { status, text } = await owned.get(`/console/${id}/live/balance`);
  assert.equal(status, 200);
  assert.match(text, /The statement is being prepared/);
  assert.match(text, /Can be paid out now/);
  await owner.run(sql`delete from journals where team_id = ${id} and source_id = 'att_0'`);
  assert.match((await owned.get(`/console/${id}/live/balance`)).text, /No movement in this month/);
});

test('the sums of a team go on while those of its subaccounts follow what an earlier release had added up', async () => {
  const { id } = (await market.api.newMerchant()).team;
  const { db } = market.api.deps.stores.live.of(id);
  await owner.run(sql`
    insert into journals (team_id, kind, source_id, subject_id, created_at)
    select ${id}, 'payment.succeeded', 'att_' || n, 'trx_' || n, now() - interval '10 minutes' from generate_series(1, 1700) n`);
  await owner.run(sql`
    insert into balance_day_counts (team_id, counted_to, marked_to, marked_xid)
    select team_id, id, id + 200, '3' from journals where team_id = ${id} and source_id = 'att_1501'`);
  await owner.run(sql`
    insert into postings (team_id, journal_id, line, currency, debit, credit, amount_minor)
    select team_id, id, line, 'XAF', 'clearing', case line when 0 then 'available' else 'available:acct_x' end, 3 + 2 * line
    from journals, generate_series(0, 1) line where team_id = ${id}`);
  const left = () =>
    owner.all<{ team: number; subaccounts: number }>(sql`
      select count(*) filter (where j.id >= c.counted_to)::integer as team,
        count(*) filter (where j.id >= c.subaccounts_counted_to)::integer as subaccounts
      from balance_day_counts c join journals j on j.team_id = c.team_id where c.team_id = ${id}`);
  await countDays(db, id);
  assert.deepEqual(await left(), [{ team: 0, subaccounts: 1_200 }]);
  for (let round = 0; round < 3; round++) await countDays(db, id);
  assert.deepEqual(await left(), [{ team: 0, subaccounts: 0 }]);
  const sums = await owner.maybe(sql`
    select (select sum(amount_minor)::integer from balance_days where team_id = ${id}) as team,
      (select sum(amount_minor)::integer from subaccount_balance_days where team_id = ${id}) as subaccounts`);
  // The earlier release had added 1,500 to the team's sums, of which the test has no rows.
  assert.deepEqual(sums, { team: 200 * 3, subaccounts: 1_700 * 5 });
});

test('a day has its causes and entries, which lead to the payment and the payout', async () => {
  const { items } = (await shop.call('GET', '/transfers')).body;
  const day = await lastDay();
  const { text } = await reader.get(`${base}/${day}?currency=XAF&balance=available`);
  assert.match(text, /Payout reserved/);
  assert.ok(text.includes(`/payouts/${items[0].id}"`));
  assert.ok(!text.includes('transfer.reserved'));
  const french = await reader.get(`${base}/${day}?currency=XAF`, { 'accept-language': 'fr' });
  assert.match(french.text, /Virement réservé/);
  for (const wrong of ['2026-02-30', '2026-13-01', 'today', '2026-1-1']) {
    assert.equal((await reader.get(`${base}/${wrong}`)).status, 404, wrong);
  }
});

test('addresses that name nothing show the own currency, the total and the current month', async () => {
  const plain = await reader.get(base);
  assert.equal(plain.status, 200);
  for (const query of ['?currency=ABC', '?balance=clearing', '?month=2026-00', '?month=%27', '?balance=__proto__']) {
    const { status, text } = await reader.get(base + query);
    assert.equal(status, 200, query);
    assert.deepEqual(statement(text), statement(plain.text), query);
  }
});

describe('the file of entries', () => {
  const lines = async (query: string) => {
    const { text, headers } = await reader.get(`${base}/export?${query}`);
    assert.equal(headers.get('content-type'), 'text/csv; charset=utf-8');
    const [head, ...rows] = text.replace('\uFEFF', '').trimEnd().split('\n');
    assert.equal(head, 'id,created_at,kind,bucket,currency,amount,source,subject');
    return rows.map((row) => row.split(','));
  };

  test('has each entry of the range once, and adds up to the closing balance', async () => {
    const rows = await lines(`currency=XAF&balance=available&date_from=2026-01-01&date_to=${await lastDay()}`);
    const sum = rows.reduce((total, row) => total + BigInt(Math.round(Number(row[5]) * 100)), 0n);
    assert.equal(String(sum), (await recount('available', 'XAF'))[0]?.split(' ').at(-1));
    assert.equal(new Set(rows.map(([id]) => id)).size, rows.length);
    const day = await lastDay();
    const one = await lines(`currency=XAF&balance=available&date_from=${day}&date_to=${day}`);
    assert.deepEqual(
      one,
      rows.filter((row) => row[1]?.startsWith(day)),
    );
  });

  test('of a subaccount has its own entries only', async () => {
    const { text, headers } = await reader.get(
      `${ofSeller()}/export?currency=XAF&balance=&date_from=2026-01-01&date_to=${await lastDay()}`,
    );
    assert.ok(headers.get('content-disposition')?.includes(seller));
    const rows = text.trimEnd().split('\n').slice(1);
    const sum = rows.reduce((total, row) => total + BigInt(Math.round(Number(row.split(',')[5]) * 100)), 0n);
    assert.equal(String(sum), (await recount('', 'XAF', seller))[0]?.split(' ').at(-1));
    const wrong = await reader.get(`${ofSeller()}/export?date_from=2026-11-20&date_to=2026-11-19&currency=XAF`);
    assert.ok(wrong.to?.startsWith(`${ofSeller()}?`));
    const day = await reader.get(`${ofSeller()}/${await lastDay()}?currency=XAF`);
    assert.match(day.text, /Boutique · Total · XAF · UTC/);
    assert.equal((day.text.match(/\/payments\/trx_/g) ?? []).length, 1);
  });

  test('of a range that is none leads to the form, which says so', async () => {
    const { status, to } = await reader.get(`${base}/export?date_from=2026-11-20&date_to=2026-11-19&currency=XAF`);
    assert.equal(status, 303);
    assert.match((await reader.get(to as string)).text, /Choose two days, the earlier one first/);
  });

  test('is not read for a request of its head', async () => {
    const headers = { cookie: [...reader.cookies].map(([name, value]) => `${name}=${value}`).join('; ') };
    const { status } = await fetch(new URL(`${base}/export?currency=XAF`, market.api.url), { method: 'HEAD', headers });
    assert.equal(status, 200);
  });
});
