import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Api, startApi } from '../setup/api.ts';
import { Payer, read, storedLines } from './bulk.ts';
import { formToken } from './people.ts';

let api: Api;
before(async () => {
  api = await startApi({ workers: false });
});
after(() => api.stop());

test('a payout with a bank code and no name asks for the name: by number alone it would lose the bank', async () => {
  const payer = await Payer.open(api, 1_000);
  const head = 'recipient,channel,name,bank_code,amount,currency,reference';
  const list = await payer.upload(
    [
      head,
      '0123456789,ng.bank,,044,500,NGN,A',
      '0123456789,ng.bank,Boutique,044,500,NGN,B',
      '+237650000000,cm.mtn,,,500,XAF,C',
    ].join('\n'),
  );
  const lines = await storedLines(api, list);
  assert.deepEqual(
    lines.map(({ status, recipient }) => [status, recipient]),
    [
      ['wrong', '0123456789'],
      ['open', 'Boutique · 0123456789 · 044'],
      ['open', '+237650000000'],
    ],
  );
  assert.match(read((await payer.person.get(list)).text), /beneficiary\.name: /);
  const path = payer.path.replace('/bulk', '/new');
  const typed = { channel: 'ng.bank', number: '0123456789', bank_code: '044', amount: '500', currency: 'NGN' };
  const form = await payer.person.post(path, { ...formToken((await payer.person.get(path)).text), ...typed });
  assert.equal(form.status, 422);
  assert.match(form.text, /class="error" id="f-name-error"/);
});
