import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { until } from '../setup/api.ts';
import { paid } from '../setup/pay.ts';
import { idsOf, type MerchantLine, openMerchantLine } from './merchant.ts';

let line: MerchantLine;
before(async () => {
  line = await openMerchantLine();
});
after(() => line.close());

describe('the other lists', () => {
  test('refunds, transfers and customers are those of the API', async () => {
    const id = await paid(line.api, { key: line.merchant.sandbox.secret, amount: 50_000 });
    await line.json('payments', 'refund', id, '--amount', '100');
    const beneficiary = { name: '+Awa', channel: 'cm.mtn', phone: '650000000' };
    await line.run(['sandbox', 'fund', '--currency', 'XAF', '--amount', '90000']);
    const body = { amount: 1_000, currency: 'XAF', beneficiary, reference: '-1' };
    const transfer = (await line.api.call('POST', '/transfers', { key: line.merchant.sandbox.secret, body })).body.transfer;
    // Both lists are compared when nothing changes any more.
    for (const path of ['/refunds', '/transfers']) {
      await until(
        async () => (await line.get(`${path}?cursor=`)).items as { status: string }[],
        (items) => items.every(({ status }) => status === 'succeeded'),
      );
    }
    for (const [kind, one] of [
      ['refunds', 'refund'],
      ['transfers', 'transfer'],
      ['customers', 'customer'],
    ] as const) {
      const listed = await line.json(kind, 'list');
      assert.deepEqual(listed.items, (await line.get(`/${kind}?cursor=`)).items);
      const [{ id: newest }] = listed.items;
      assert.deepEqual(await line.json(kind, 'show', newest), (await line.get(`/${kind}/${newest}`))[one]);
      const rows = (await line.run([kind, 'list', '--csv'])).stdout.trimEnd().split('\n');
      assert.equal(rows.length, listed.items.length + 1);
      assert.equal(rows[0]?.split(',').sort().join(), Object.keys(listed.items[0]).sort().join(), 'every field has a column');
      assert.match((await line.run([kind, 'list'])).stdout, new RegExp(`^${one.toUpperCase()} +CREATED `));
      assert.match((await line.run([kind, 'show', newest])).stdout, new RegExp(`^${one} +${newest}\n`));
    }
    assert.deepEqual(idsOf(await line.json('refunds', 'list', '--payment', id)).length, 1);
    assert.deepEqual(idsOf(await line.json('transfers', 'list', '--channel', 'cm.orange')), []);
    assert.deepEqual(idsOf(await line.json('transfers', 'list', '--channel', 'cm.mtn', '--amount-max', '1000')), [transfer.id]);
    assert.deepEqual(idsOf(await line.json('customers', 'list', '--blocked', 'true')), []);
    assert.equal(idsOf(await line.json('customers', 'list', '--blocked', 'false', '--search', '650000000')).length, 1);
    assert.match((await line.run(['transfers', 'list', '--csv'])).stdout, /,-1,/, 'a number is exempt');
    assert.match((await line.run(['customers', 'list', '--csv'])).stdout, /,\+237650000000,/, 'a phone number is one too');
  });

  test('balance is that of the API, with separators', async () => {
    const figures = await line.json('balance');
    assert.deepEqual(figures, (await line.get('/balance')).balance);
    assert.ok(figures.available > 1_000);
    const { stdout } = await line.run(['balance']);
    assert.match(stdout, new RegExp(`^available +${figures.available.toLocaleString('en-US')}  can be paid out now$`, 'm'));
    const csv = (await line.run(['balance', '--csv'])).stdout.split('\n');
    assert.deepEqual(csv[0]?.split(','), Object.keys(figures));
    assert.deepEqual(csv[1]?.split(','), Object.values(figures).map(String));
    assert.equal((await line.json('balance', '--currency', 'ngn', '--environment', 'live')).currency, 'NGN');
  });
});
