import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fundSandbox } from '../../src/core/transfers/fund.ts';
import { sql } from '../../src/kit/sql.ts';
import { sweepsOf } from '../../src/program/program.ts';
import { WORKER } from '../../src/tenants/audit/actor.ts';
import { openOwner } from '../archive/fixture.ts';
import { axeFaults } from '../pages/axe.ts';
import { keepPicture } from '../pages/pictures.ts';
import { type Api, startApi, until } from '../setup/api.ts';
import { type Found, newContext, openBrowser } from '../setup/browser.ts';
import { LOOKS } from './browsing.ts';
import { formToken, type Person, signedIn } from './people.ts';

/** Maximum size of a page over the wire, in bytes. */
const MAX_PAGE_BYTES = 40_000;

const found: Found = await openBrowser();
const skip = found.missing ?? false;
let api: Api;
let owner: Person;
let base: string;
/** Stopped while a list is paid out: a page goes on by itself for some seconds only, and a busy machine takes longer for a part of a list. */
let stopped_at: number | null = null;

before(async () => {
  api = await startApi({ workers: false, clock: { now: () => stopped_at ?? Date.now() } });
  owner = await signedIn(api, 'owner', api.team, 'Awa Ndiaye');
  base = `/console/${api.team.id}`;
  await fillBooks();
  await makePayouts();
});
after(async () => {
  await found.browser?.close();
  await api.stop();
});

/** A month of payments, their release a day later, and a payout every third day. */
async function fillBooks(): Promise<void> {
  const db = openOwner(api.databases.live);
  const id = (prefix: string) => `${prefix}_${'0'.repeat(26)}`;
  await db.run(sql`
    with moves as (
      select day, n, kind, debit, credit, subject, 250000 * (case when n in (4, 5, 6) then 5 else 1 + (day * 7 + n * 5) % 9 end) + case n when 3 then 500000 else 0 end as amount
      from generate_series(45, 0, -1) day, lateral (values
        (1, 'payment.succeeded', 'clearing', 'pending', ${id('trx')}), (2, 'payment.succeeded', 'clearing', 'pending', ${id('trx')}),
        (3, 'hold.released:' || day, 'pending', 'available', ${id('trx')}), (4, 'transfer.reserved', 'available', 'reserved', ${id('po')}),
        (5, 'transfer.dispatched', 'reserved', 'in.transit', ${id('po')}), (6, 'transfer.succeeded', 'in.transit', 'clearing', ${id('po')}),
        (7, 'refund.drawn', 'available', 'refund_clearing', ${id('trx')})) m (n, kind, debit, credit, subject)
      where (n < 4 or day % 3 = 0) and not (n > 4 and day < 3) order by day desc, n
    ), made as (
      insert into journals (team_id, kind, source_id, subject_id, created_at)
      select ${api.team.id}, kind, 'att_' || day || n, subject, now() - day * interval '1 day' - interval '1 minute' + n * interval '1 second'
      from moves order by day desc, n returning id, kind, source_id
    )
    insert into postings (team_id, journal_id, line, currency, debit, credit, amount_minor)
    select ${api.team.id}, made.id, 1, 'XAF', debit, credit, amount
    from made join moves on made.source_id = 'att_' || day || n and made.kind = moves.kind`);
  await db.run(sql`
    insert into balances (team_id, currency, account, guarded, posted_minor)
    select team_id, currency, account, false, sum(amount) from (
      select team_id, currency, credit as account, amount_minor as amount from postings where team_id = ${api.team.id}
      union all select team_id, currency, debit, -amount_minor from postings where team_id = ${api.team.id}) sides
    group by 1, 2, 3`);
  await db.close();
}

let payout: string;
/** Lists of payouts: one to confirm, one of which some lines are paid. */
let lists: [string, string];
let beneficiary: string;

/** Payouts of the sandbox that succeeded, failed and are under way, and two beneficiaries. */
async function makePayouts(): Promise<void> {
  await fundSandbox(api.deps, api.deps.stores.sandbox.of(api.team.id), api.team.id, 'XAF', 250_000_00n, WORKER);
  const saved = { name: 'Ferme Mballa', channel: 'cm.orange', phone: '690000000', reference: 'F-12' };
  beneficiary = (await api.call('POST', '/beneficiaries', { body: saved })).body.beneficiary.id;
  await api.call('POST', '/beneficiaries', { body: { name: 'Transport Etoundi', channel: 'cm.mtn', phone: '650000000' } });
  const pay = async (amount: number, reference: string, phone = '650000000') => {
    const recipient = amount % 2000 === 0 ? { beneficiary } : { beneficiary: { name: 'Ama Ngono', channel: 'cm.mtn', phone } };
    const { body } = await api.call('POST', '/transfers', { body: { amount, currency: 'XAF', reference, ...recipient } });
    return body.transfer.id as string;
  };
  payout = await pay(85_500, 'PAIE-2026-11-A');
  await pay(40_000, 'FACTURE-118');
  await pay(300_000, 'FACTURE-119');
  for (const sweep of sweepsOf(api.deps, api.deps.stores.sandbox)) if (sweep.name === 'transfers') await sweep.round();
  await pay(60_000, 'FACTURE-120');
  await pay(12_500, 'PAIE-2026-11-B');
  const path = `${base}/sandbox/payouts/bulk`;
  const upload = async (csv: string) => (await owner.submit(path, path, { csv })).to as string;
  lists = [await upload(`${listOf(118)}\n123,cm.mtn,Sans Numéro,400,XAF,`), await upload(listOf(4, 15_000))];
  await owner.post(`${lists[1]}/run`, { ...formToken((await owner.get(lists[1])).text), sure: 'yes' });
}

/** A list of payouts with so many lines. */
function listOf(count: number, amount = 300): string {
  const names = ['Ama Ngono', 'Kofi Mensah', 'Awa Ndiaye', 'Ibrahim Diallo'];
  const lines = Array.from(
    { length: count },
    (_, i) => `65${String(i).padStart(7, '0')},cm.mtn,${names[i % 4]},${amount + i},XAF,PAIE-${i}`,
  );
  return ['recipient,channel,name,amount,currency,reference', ...lines].join('\n');
}

const today = () => new Date().toISOString().slice(0, 10);

/** Pages by the name of their picture. */
const PAGES: Record<string, () => string> = {
  'console-balance': () => '/live/balance',
  'console-balance-day': () => `/live/balance/${today()}`,
  'console-payouts': () => '/sandbox/payouts',
  'console-payout': () => `/sandbox/payouts/${payout}`,
  'console-payout-new': () => `/sandbox/payouts/new?beneficiary=${beneficiary}&currency=XAF`,
  'console-bulk': () => '/sandbox/payouts/bulk',
  'console-bulk-confirm': () => lists[0].replace(base, ''),
  'console-bulk-progress': () => `${lists[1].replace(base, '')}?stop=balance`,
  'console-beneficiaries': () => '/sandbox/payouts/beneficiaries',
  'console-beneficiary': () => `/sandbox/payouts/beneficiaries/${beneficiary}`,
  'console-beneficiary-edit': () => `/sandbox/payouts/beneficiaries/${beneficiary}/edit`,
};
/** The others are looked at, and not kept. */
const KEPT = process.env.PICTURES === 'docs/pictures' ? ['console-balance', 'console-payout'] : Object.keys(PAGES);

for (const [name, path] of Object.entries(PAGES)) {
  for (const { ending, width, colorScheme, locale } of LOOKS) {
    test(`${name}${ending}: accessible, small, and fits its window`, { skip }, async () => {
      const context = await newContext(found.browser, { viewport: { width, height: 900 }, colorScheme, locale });
      await context.addCookies([...owner.cookies].map(([cookie, value]) => ({ name: cookie, value, url: api.url })));
      const page = await context.newPage();
      const errors: string[] = [];
      page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
      const answer = await page.goto(api.url + base + path());
      assert.equal(answer?.status(), 200);
      const { responseBodySize } = (await answer?.request().sizes()) ?? { responseBodySize: 0 };
      assert.ok(responseBodySize > 0 && responseBodySize <= MAX_PAGE_BYTES, `${responseBodySize} bytes`);
      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      assert.ok(Number(overflow) <= 0, `${overflow} px too wide`);
      assert.deepEqual(await axeFaults(page), []);
      assert.deepEqual(errors, []);
      if (KEPT.includes(name) && (ending === '' || process.env.PICTURES !== 'docs/pictures'))
        await keepPicture(page, name + ending);
      await context.close();
    });
  }
}

test('a name of one long word fits the window of a handset, also in titles and links back', { skip }, async () => {
  const name = 'Ndiaye'.repeat(42);
  const { id } = (await api.call('POST', '/accounts', { body: { name, email: 'seller@example.com' } })).body.account;
  const saved = { name, channel: 'cm.orange', phone: '690000001' };
  const { beneficiary: recipient } = (await api.call('POST', '/beneficiaries', { body: saved })).body;
  const context = await newContext(found.browser, { viewport: { width: 360, height: 740 }, javaScriptEnabled: false });
  await context.addCookies([...owner.cookies].map(([cookie, value]) => ({ name: cookie, value, url: api.url })));
  const page = await context.newPage();
  const account = `/sandbox/subaccounts/${id}`;
  const paths = [account, `${account}/edit`, `${account}/balance`, `${account}/balance/${today()}`, '/sandbox/subaccounts'];
  const ofRecipient = `/sandbox/payouts/beneficiaries/${recipient.id}`;
  for (const path of [...paths, ofRecipient, `${ofRecipient}/edit`, '/sandbox/payouts/beneficiaries']) {
    assert.equal((await page.goto(api.url + base + path))?.status(), 200);
    assert.ok((await page.content()).includes(name), path);
    const wide = await page.evaluate(
      "[...document.querySelectorAll('main h1, main p, main nav, main dd')].filter((one) => one.scrollWidth > innerWidth).map((one) => one.outerHTML.slice(0, 60))",
    );
    assert.deepEqual(wide, [], path);
    assert.ok(Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth')) <= 0, path);
  }
  await context.close();
});

test('the sums of a month stand side by side on a desktop, each under its name', { skip }, async () => {
  const context = await newContext(found.browser, { viewport: { width: 1280, height: 900 }, locale: 'en-GB' });
  await context.addCookies([...owner.cookies].map(([cookie, value]) => ({ name: cookie, value, url: api.url })));
  const page = await context.newPage();
  await page.goto(`${api.url}${base}/live/balance`);
  const places = await page.evaluate(
    "[...document.querySelectorAll('.totals > div')].map((one) => [one.getBoundingClientRect().top, getComputedStyle(one.lastElementChild).textAlign])",
  );
  const [first, ...others] = places as [number, string][];
  assert.equal(others.length, 3);
  assert.equal(first?.[1], 'start');
  for (const other of others) assert.deepEqual(other, first);
  await context.close();
});

test('a payout by keyboard and button: the form, the confirmation, the payout', { skip }, async () => {
  const context = await newContext(found.browser, { viewport: { width: 1280, height: 900 }, locale: 'en-GB' });
  await context.addCookies([...owner.cookies].map(([cookie, value]) => ({ name: cookie, value, url: api.url })));
  const page = await context.newPage();
  await page.goto(`${api.url}${base}/sandbox/payouts`);
  await page.getByRole('link', { name: 'New payout' }).click();
  await page.getByLabel('Beneficiary').selectOption({ label: 'Ferme Mballa · +237690000000 · XAF' });
  await page.getByLabel('Amount').fill('1 500');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Confirm the payout' }).waitFor();
  assert.deepEqual(await axeFaults(page), []);
  if (process.env.PICTURES !== 'docs/pictures') await keepPicture(page, 'console-payout-confirm');
  await page.getByRole('button', { name: 'Pay out FCFA 1,500' }).dblclick();
  await page.waitForURL(/\/payouts\/po_test_\w+\?done=create/);
  assert.match((await page.getByRole('status').first().textContent()) ?? '', /The payout was created/);
  const { items } = (await api.call('GET', '/transfers?amount_max=1500')).body;
  assert.equal(items.length, 1);
  await context.close();
});

test('a list from a file is paid out by itself, without a second press', { skip }, async () => {
  await fundSandbox(api.deps, api.deps.stores.sandbox.of(api.team.id), api.team.id, 'XAF', 100_000_00n, WORKER);
  const context = await newContext(found.browser, { viewport: { width: 1280, height: 900 }, locale: 'en-GB' });
  await context.addCookies([...owner.cookies].map(([cookie, value]) => ({ name: cookie, value, url: api.url })));
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  await page.goto(`${api.url}${base}/sandbox/payouts/bulk`);
  const file = { name: 'paie.csv', mimeType: 'text/csv', buffer: Buffer.from(listOf(30, 201).replaceAll('PAIE', 'LISTE')) };
  // The page's policy forbids `waitForFunction` to look twice.
  const isFilled = () =>
    until(
      () => page.getByLabel('List as CSV').inputValue(),
      (list) => list.includes('LISTE-29'),
    );
  await page.getByLabel('CSV file').setInputFiles(file);
  await isFilled();
  // A list that is too long stays in the form: it is not sent.
  // A line break is sent as two characters.
  for (const long of ['x'.repeat(262_145), `${'x'.repeat(262_000)}${'\n'.repeat(100)}`]) {
    await page.getByLabel('List as CSV').fill(long);
    await page.getByRole('button', { name: 'Check the list' }).click();
    assert.match(String(await page.evaluate("document.getElementById('f-csv').validationMessage")), /at most 262,144 characters/);
  }
  await page.getByLabel('CSV file').setInputFiles([]);
  await page.getByLabel('CSV file').setInputFiles(file);
  await isFilled();
  await page.getByRole('button', { name: 'Check the list' }).click();
  stopped_at = Date.now();
  await page.getByRole('button', { name: 'Pay out 30 lines' }).click();
  await page.getByText('30 of 30 lines.').waitFor({ timeout: 90_000 });
  stopped_at = null;
  const { items } = (await api.call('GET', '/transfers?search=LISTE-&per_page=100')).body;
  assert.equal(items.length, 30);
  assert.deepEqual(errors, []);
  await context.close();
});

test('a list from a file is read as UTF-8, else in the code page of Excel', { skip }, async () => {
  const context = await newContext(found.browser, { viewport: { width: 1280, height: 900 }, locale: 'en-GB' });
  await context.addCookies([...owner.cookies].map(([cookie, value]) => ({ name: cookie, value, url: api.url })));
  const page = await context.newPage();
  await page.goto(`${api.url}${base}/sandbox/payouts/bulk`);
  const list = page.getByLabel('List as CSV');
  for (const [name, buffer] of [
    ['Zoé N’Diaye, utf-8', Buffer.from('\uFEFFZoé N’Diaye, utf-8')],
    ['Zoé N’Diaye', Buffer.from('Zo\xE9 N\x92Diaye', 'latin1')],
  ] as const) {
    await page.getByLabel('CSV file').setInputFiles({ name: 'paie.csv', mimeType: 'text/csv', buffer });
    const filled = await until(
      () => list.inputValue(),
      (value) => value !== '',
    );
    assert.equal(filled, name);
    await list.fill('');
  }
  await context.close();
});
