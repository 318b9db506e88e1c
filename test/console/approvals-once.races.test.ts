import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openDispute } from '../../src/core/disputes/service.ts';
import { sql } from '../../src/kit/sql.ts';
import { type DbPool, openPool } from '../../src/platform/db/pool.ts';
import { setThreshold } from '../../src/tenants/approvals/threshold-store.ts';
import { type Api, startApi } from '../setup/api.ts';
import { untilLocked } from '../setup/locks.ts';
import { fund } from '../transfers/support.ts';
import { approvalPath, countApprovals, openShop, refundForm, sale, type Shop } from './approvals.ts';
import { formToken, type Shown } from './people.ts';

/** A form that is submitted twice at once while a threshold is set: it runs or asks, and both answers lead there. */
let api: Api;
let owner: DbPool;
before(async () => {
  api = await startApi();
  owner = openPool({ url: api.databases.sandbox, size: 1, log: api.deps.log });
});
after(async () => {
  await owner.close();
  await api.stop();
});

type Submit = () => Promise<Shown>;

interface Form {
  /** Opens the form. @returns what submits it */
  open(shop: Shop): Promise<Submit>;
  /** Where the answer of a form that ran leads. */
  ran: RegExp;
  /** SQL of what it makes in the team $1. */
  made: string;
  /** Table of its key, or of what it changes. */
  table: string;
}

const KEYS = 'idempotency_keys';
const SELLER = { name: 'Seller', email: 's@sellers.example', split_type: '', split_value: '' };

const FORMS: Record<string, Form> = {
  'a payout': {
    open: async ({ maker, base, team }) => {
      await fund(api, team, 100_000);
      const values = { name: 'Ama', channel: 'cm.mtn', number: '650000000', amount: '20000', currency: 'XAF' };
      const form = {
        ...formToken((await maker.get(`${base}/payouts/new`)).text),
        ...values,
        to: 'Ama · +237650000000',
        sure: 'yes',
      };
      return () => maker.post(`${base}/payouts/send`, form);
    },
    ...{ ran: /\/payouts\/po_test_\w+\?done=create$/, made: 'select 1 from transfers where team_id = $1', table: KEYS },
  },
  'a refund': {
    open: async (shop) => {
      const { path, values } = await refundForm(shop, shop.maker, await sale(shop), '20000');
      return () => shop.maker.post(path, { ...values, sure: 'yes' });
    },
    ...{ ran: /\/payments\/trx_test_\w+\?done=refund$/, made: 'select 1 from refunds where team_id = $1', table: KEYS },
  },
  'a subaccount': {
    open: async ({ maker, base }) => {
      const values = { ...SELLER, channel: 'cm.mtn', account_number: '+237650000009' };
      const form = { ...formToken((await maker.get(`${base}/subaccounts/new`)).text), ...values };
      return () => maker.post(`${base}/subaccounts`, form);
    },
    ...{ ran: /\/subaccounts\/acct_test_\w+\?done=create$/, made: 'select 1 from accounts where team_id = $1', table: KEYS },
  },
  'a changed subaccount': {
    open: async ({ maker, base, key }) => {
      const { body } = await api.call('POST', '/accounts', { key, body: { name: SELLER.name, email: SELLER.email } });
      const path = `${base}/subaccounts/${body.account.id}/edit`;
      const values = { ...SELLER, channel: 'cm.mtn', account_number: '+237650000009' };
      const form = { ...formToken((await maker.get(path)).text), ...values };
      return () => maker.post(path, form);
    },
    ...{ ran: /\?done=update$/, made: 'select 1 from accounts where team_id = $1 and settlement is not null', table: KEYS },
  },
  'an accepted dispute': {
    open: async (shop) => {
      const { team, maker, base } = shop;
      const ref = { team_id: team.id, payment_id: await sale(shop), reason: 'fraudulent' } as const;
      const { id } = await openDispute(api.deps, api.deps.stores.sandbox.of(team.id), ref);
      const path = `${base}/disputes/${id}/accept`;
      const form = { ...formToken((await maker.get(path)).text), confirm: '25000' };
      return () => maker.post(path, form);
    },
    ...{ ran: /\?done=accept$/, made: `select 1 from disputes where team_id = $1 and status = 'lost'`, table: 'disputes' },
  },
};

const firstThreshold = ({ team }: Shop) => api.control.transaction((tx) => setThreshold(tx, team.id, 'XAF', 1_000_000n));

async function countMade({ team }: Shop, text: string): Promise<number> {
  return (await api.deps.stores.sandbox.db.all({ text, values: [team.id] })).length;
}

for (const [name, { open, ran, made, table }] of Object.entries(FORMS)) {
  describe(`the form of ${name}`, () => {
    test('that is being carried out asks nobody', async () => {
      const shop = await openShop(api, null);
      const submit = await open(shop);
      const [first, second] = await owner.transaction(async (tx) => {
        // The first one has its key or its row, and waits to be recorded.
        await tx.run(sql`lock table audit_entries in exclusive mode`);
        const first = submit();
        await untilLocked(api.databases.sandbox, 'audit_entries');
        await firstThreshold(shop);
        const second = submit();
        await Promise.race([second, untilLocked(api.databases.sandbox, table)]);
        return [first, second];
      });
      const [{ to: to_first }, { to: to_second }] = [await first, await second];
      assert.match(to_first ?? '', ran);
      assert.equal(to_second, to_first);
      assert.deepEqual([await countMade(shop, made), await countApprovals(shop)], [1, 0]);
    });

    test('that has asked before it takes its key or its row is not carried out', async () => {
      const shop = await openShop(api);
      const submit = await open(shop);
      const asked = approvalPath(await submit());
      const id = asked.split('/').at(-1);
      // As if the other one asked only while the first one waits.
      await api.control.run(sql`update approvals set form_key = form_key || '-' where id = ${id}`);
      await api.control.run(sql`delete from approval_thresholds where team_id = ${shop.team.id}`);
      const first = await owner.transaction(async (tx) => {
        await tx.run({ text: `lock table ${table} in exclusive mode`, values: [] });
        const first = submit();
        await untilLocked(api.databases.sandbox, table);
        await api.control.run(sql`update approvals set form_key = rtrim(form_key, '-') where id = ${id}`);
        return [first];
      });
      assert.equal((await first[0])?.to, asked);
      assert.deepEqual([await countMade(shop, made), await countApprovals(shop)], [0, 1]);
      assert.equal((await submit()).to, asked);
    });
  });
}
