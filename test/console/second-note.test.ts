import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openDispute } from '../../src/core/disputes/service.ts';
import { fundSandbox } from '../../src/core/transfers/fund.ts';
import { sql } from '../../src/kit/sql.ts';
import { WORKER } from '../../src/tenants/audit/actor.ts';
import { type Api, startApi } from '../setup/api.ts';
import { openShop, refundForm, sale, type Shop } from './approvals.ts';
import { HEAD, line } from './bulk.ts';
import { hiddenOf, type Shown } from './people.ts';

let api: Api;
before(async () => {
  api = await startApi();
});
after(() => api.stop());

/** What a page announces about a second person; empty: nothing. */
function noteOf({ text }: Shown): string {
  const notes = [...text.matchAll(/class="alert info"[^>]*>([^<]*)</g)].map(([, note = '']) => note);
  return notes
    .filter((note) => /second person/.test(note))
    .join(' ')
    .replace(/[\u00A0\u202F]/g, ' ');
}

async function fund({ api: of, team }: Shop, currency: string): Promise<void> {
  await fundSandbox(of.deps, of.deps.stores.sandbox.of(team.id), team.id, currency, 500_000_00n, WORKER);
}

const isAsked = ({ to }: Shown) => /\/approvals\/apv_/.test(to ?? '');

/** In hundredths of XAF; null: the team has none. A payment has 25,000 XAF. */
const THRESHOLDS: [above: bigint | null, currency: string, note: RegExp | null][] = [
  [null, 'XAF', null],
  [25_000_00n, 'XAF', null],
  [24_999_00n, 'XAF', /^Above FCFA 24,999, a second person decides before anything is sent\.$/],
  [0n, 'XOF', /^Your team has no threshold for XAF: a second person decides before anything is sent\.$/],
];

describe('before it is sent, the page says what the threshold will decide', () => {
  for (const [above, currency, note] of THRESHOLDS) {
    test(`about a refund: ${above} ${currency}`, async () => {
      const shop = await openShop(api, above);
      await api.control.run(sql`update approval_thresholds set currency = ${currency} where team_id = ${shop.team.id}`);
      const payment = await sale(shop);
      const shown = await shop.maker.get(`${shop.base}/payments/${payment}/refund`);
      if (note) assert.match(noteOf(shown), note);
      else assert.equal(noteOf(shown), '');
      const { path, values } = await refundForm(shop, shop.maker, payment, '');
      assert.equal(isAsked(await shop.maker.post(path, values)), note !== null);
    });
  }

  // The fee of 10,000 XAF is 100 XAF: what leaves the balance is compared.
  for (const [above, needed] of [
    [10_100_00n, false],
    [10_099_00n, true],
  ] as const) {
    test(`about a payout with its fee: ${above}`, async () => {
      const shop = await openShop(api, above);
      await fund(shop, 'XAF');
      const opened = await shop.maker.get(`${shop.base}/payouts/new`);
      const typed = { name: 'Ama', channel: 'cm.mtn', number: '650000000', amount: '10000', currency: 'XAF' };
      const confirmation = await shop.maker.post(`${shop.base}/payouts/new`, { ...hiddenOf(opened), ...typed });
      assert.equal(confirmation.status, 200);
      const said =
        'What leaves the balance is above your team’s threshold of FCFA 10,099: a second person decides before anything is sent.';
      assert.equal(noteOf(confirmation), needed ? said : '');
      const sent = await shop.maker.post(`${shop.base}/payouts/send`, hiddenOf(confirmation));
      assert.deepEqual([sent.status, isAsked(sent)], [303, needed]);
    });
  }

  test('about the lines of a list', async () => {
    const shop = await openShop(api, 2_020_00n);
    await fund(shop, 'XAF');
    const bulk = `${shop.base}/payouts/bulk`;
    // With fees of 1 %: 2,020 and 3,030 and 2,021.01.
    const csv = [HEAD, line(1, 2_000), line(2, 3_000), line(3, 2_001), line(4, 10)].join('\n');
    const list = (await shop.maker.submit(bulk, bulk, { csv })).to as string;
    const shown = await shop.maker.get(list);
    assert.match(noteOf(shown), /^Lines on which a second person decides .* each on its own: 2\./);
    await shop.maker.post(`${list}/run`, hiddenOf(shown));
    const [row] = await api.control.all<{ n: number }>(
      sql`select count(*)::integer as n from approvals where team_id = ${shop.team.id}`,
    );
    assert.equal(row?.n, 2);
    assert.equal(noteOf(await shop.maker.get(list)), '', 'of a list that was confirmed it is not said');
  });

  test('about the acceptance of a dispute', async () => {
    const shop = await openShop(api, 24_999_00n);
    const payment = await sale(shop);
    const store = api.deps.stores.sandbox.of(shop.team.id);
    const { id } = await openDispute(api.deps, store, { team_id: shop.team.id, payment_id: payment, reason: 'fraudulent' });
    const page = `${shop.base}/disputes/${id}/accept`;
    const shown = await shop.maker.get(page);
    assert.match(noteOf(shown), /above your team’s threshold of FCFA 24,999/);
    assert.ok(isAsked(await shop.maker.post(page, { ...hiddenOf(shown), confirm: '25000' })));
  });
});
