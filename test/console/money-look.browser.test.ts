import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { openOwner } from '../archive/fixture.ts';
import { axeFaults } from '../pages/axe.ts';
import { keepPicture } from '../pages/pictures.ts';
import { type Api, startApi } from '../setup/api.ts';
import { type Found, openBrowser } from '../setup/browser.ts';
import { type Person, signedIn } from './people.ts';

/** Maximum size of a page over the wire, in bytes. */
const MAX_PAGE_BYTES = 40_000;

const found: Found = await openBrowser();
const skip = found.missing ?? false;
let api: Api;
let owner: Person;
let base: string;

before(async () => {
  api = await startApi({ workers: false });
  owner = await signedIn(api, 'owner', api.team, 'Awa Ndiaye');
  base = `/console/${api.team.id}/live`;
  await fillBooks();
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

const today = () => new Date().toISOString().slice(0, 10);

/** Pages by the name of their picture. */
const PAGES: Record<string, () => string> = {
  'console-balance': () => '/balance',
  'console-balance-day': () => `/balance/${today()}`,
};
/** The others are looked at, and not kept. */
const KEPT = process.env.PICTURES === 'docs/pictures' ? ['console-balance', 'console-payout'] : Object.keys(PAGES);

const LOOKS = [
  { ending: '', width: 1280, colorScheme: 'light', locale: 'en-GB' },
  { ending: '-dark', width: 1280, colorScheme: 'dark', locale: 'fr-CM' },
  { ending: '-360', width: 360, colorScheme: 'light', locale: 'fr-CM' },
  { ending: '-360-dark', width: 360, colorScheme: 'dark', locale: 'en-GB' },
] as const;

for (const [name, path] of Object.entries(PAGES)) {
  for (const { ending, width, colorScheme, locale } of LOOKS) {
    test(`${name}${ending}: accessible, small, and fits its window`, { skip }, async () => {
      const context = await found.browser?.newContext({ viewport: { width, height: 900 }, colorScheme, locale });
      assert.ok(context);
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
