import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { fundSandbox } from '../../src/core/transfers/fund.ts';
import { WORKER } from '../../src/tenants/audit/actor.ts';
import { type Api, startApi } from '../setup/api.ts';
import { formToken, type Person, signedIn } from './people.ts';

let api: Api;
let finance: Person;
let base: string;

before(async () => {
  api = await startApi({ workers: false });
  finance = await signedIn(api, 'finance');
  base = `/console/${api.team.id}/sandbox/payouts`;
  await fundSandbox(api.deps, api.deps.stores.sandbox.of(api.team.id), api.team.id, 'XAF', 100_000_00n, WORKER);
});
after(() => api.stop());

const AMA = { name: 'Ama <b>Ngono</b>', channel: 'cm.mtn', number: '650 00 00 00', amount: '12 500', currency: 'XAF' };

/** The page as people read it. */
function read(text: string): string {
  return text
    .replace(/^.*<main[^>]*>/s, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/[\s ]+/g, ' ');
}

/** What a form of a page would send. */
function hiddenOf(text: string): Record<string, string> {
  const main = text.replace(/^.*<main/s, '<main');
  const fields = [...main.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)];
  return Object.fromEntries(
    fields.map(([, name = '', value = '']) => [name, value.replaceAll('&lt;', '<').replaceAll('&gt;', '>')]),
  );
}

const transfers = async (query = '') =>
  (await api.call('GET', `/transfers?per_page=100${query}`)).body.items as { id: string; amount: number; reference: string }[];

/** Types a payout and continues to its confirmation. */
async function confirmation(typed: Record<string, string>) {
  const { text } = await finance.get(`${base}/new`);
  return finance.post(`${base}/new`, { ...hiddenOf(text), ...typed });
}

describe('a new payout', () => {
  test('is confirmed with recipient, fee, total and balance, and made once however often it is submitted', async () => {
    const { status, text } = await confirmation({ ...AMA, reference: 'PAY-1' });
    assert.equal(status, 200);
    assert.match(read(text), /Name Ama &lt;b&gt;Ngono&lt;\/b&gt; Channel MTN Mobile Money cm\.mtn Phone number \+237650000000/);
    assert.match(read(text), /Amount FCFA 12,500 Fee FCFA 125 Debited from the balance FCFA 12,625/);
    assert.match(read(text), /Available now FCFA 100,000 Available afterwards FCFA 87,375/);
    assert.deepEqual(await transfers('&search=PAY-1'), [], 'nothing is written before the confirmation');
    const form = hiddenOf(text);
    const [first, second] = await Promise.all([1, 2].map(() => finance.post(`${base}/send`, form)));
    const again = await finance.post(`${base}/send`, form);
    const made = await transfers('&search=PAY-1');
    assert.deepEqual(
      made.map(({ amount }) => amount),
      [12_500],
    );
    for (const answer of [first, second, again]) {
      assert.deepEqual([answer?.status, answer?.to], [303, `${base}/${made[0]?.id}?done=create`]);
    }
    const { balance } = (await api.call('GET', '/balance?currency=XAF')).body;
    assert.deepEqual([balance.available, balance.reserved], [87_375, 12_625]);
  });

  test('is shown with who asked for it, the choice of the provider, postings and events', async () => {
    const [made] = await transfers('&search=PAY-1');
    const { text } = await finance.get(`${base}/${made?.id}`);
    assert.match(read(text), /transfer\.create by you/);
    assert.match(read(text), /Provider chosen/);
    assert.match(read(text), /Posted to the ledger transfer\.reserved .*available → reserved FCFA 12,625/);
    assert.match(read(text), /Payout created .* Webhooks/);
    assert.match(read(text), /The money is set aside and goes to a provider/);
    assert.ok(text.includes('Ama &lt;b&gt;Ngono&lt;/b&gt;') && !text.includes('<b>Ngono'));
    const list = await finance.get(`${base}?search=PAY-1`);
    assert.ok(list.text.includes('Ama &lt;b&gt;Ngono&lt;/b&gt;') && list.text.includes(String(made?.id)));
    assert.match((await finance.get(`/console/${api.team.id}/sandbox/search?q=${made?.id}`)).to ?? '', /\/payouts\/po_test_/);
  });

  test('that is wrong is asked again, with what was typed and the errors beside the fields', async () => {
    const wrong = await confirmation({ ...AMA, amount: '25,000', reference: 'PAY-2' });
    assert.equal(wrong.status, 422);
    assert.match(wrong.text, /id="f-amount-error">Type an amount/);
    assert.match(wrong.text, /value="PAY-2"/);
    const cases: [typed: Record<string, string>, field: string][] = [
      [{ number: '123' }, 'number'],
      [{ number: '' }, 'number'],
      [{ name: '', number: '12' }, 'number'],
      [{ channel: '' }, 'channel'],
      [{ name: '', channel: '' }, 'channel'],
      [{ channel: 'cm.card' }, 'channel'],
      [{ amount: '0' }, 'amount'],
      [{ amount: '100.50' }, 'amount'],
      [{ currency: 'NGN' }, 'currency'],
      [{ amount: '90000000' }, 'amount'],
    ];
    for (const [typed, field] of cases) {
      const { status, text } = await confirmation({ ...AMA, ...typed });
      assert.equal(status, 422, JSON.stringify(typed));
      assert.match(text, new RegExp(`class="error" id="f-${field}-error"`), JSON.stringify(typed));
    }
    assert.equal((await transfers()).length, 1);
  });

  test('goes back to the form with what was typed', async () => {
    const { text } = await confirmation({ ...AMA, reference: 'PAY-3' });
    const form = await finance.post(`${base}/new`, { ...hiddenOf(text), step: 'edit' });
    assert.equal(form.status, 200);
    assert.match(form.text, /value="Ama &lt;b&gt;Ngono&lt;\/b&gt;"/);
    assert.match(form.text, /value="PAY-3"/);
  });

  test('that the balance does not cover cannot be submitted; made all the same, it is failed and says why', async () => {
    const { text } = await confirmation({ ...AMA, amount: '87 000', reference: 'PAY-4' });
    assert.match(read(text), /The available balance does not cover amount and fee/);
    assert.doesNotMatch(text, /<button>Pay out/);
    const { to } = await finance.post(`${base}/send`, hiddenOf(text));
    const page = await finance.get(to as string);
    assert.match(read(page.text), /Failed/);
    assert.match(read(page.text), /did not cover amount and fee\. Nothing was sent\./);
    assert.doesNotMatch(page.text, /The payout was created/);
  });

  test('that failed or was cancelled says that the money is available again only if nobody was paid', async () => {
    const { transfer } = (
      await api.call('POST', '/transfers', {
        body: { amount: 100, currency: 'XAF', recipient: '+237650000000', channel: 'cm.mtn' },
      })
    ).body;
    const { db } = api.deps.stores.sandbox;
    const late = (status: string) =>
      `It reached the recipient after it had ${status === 'failed' ? 'failed' : 'been cancelled'}.`;
    const said = async (status: string, reason: string | null, paid_late: boolean) => {
      await db.run(sql`
        update transfers set stage = 'closed', status = ${status}, reason = ${reason}, paid_late_at = case when ${paid_late} then now() end,
          message = ${paid_late ? late(status) : 'E7'} where id = ${transfer.id}`);
      const [, text = ''] =
        /<p class="alert bad"[^>]*>(.*?)<\/p>/s.exec((await finance.get(`${base}/${transfer.id}`)).text) ?? [];
      return text.replace(/<[^>]+>/g, '');
    };
    const causes: [reason: string | null, cause: string][] = [
      [null, 'The provider declined the payout.'],
      ['invalid_recipient', 'The provider does not accept this recipient.'],
      ['recipient_unregistered', 'The number has no account with the operator.'],
    ];
    for (const [reason, cause] of causes) {
      assert.equal(await said('failed', reason, false), `${cause} The money is available again. E7`);
      assert.equal(await said('failed', reason, true), `${cause} It reached the recipient after it had failed.`);
    }
    assert.equal(await said('cancelled', null, false), '');
    assert.equal(await said('cancelled', null, true), late('cancelled'));
    await said('failed', null, false);
    await db.run(sql`
      insert into journals (team_id, kind, source_id, subject_id)
      values (${api.team.id}, 'reconciliation.late', ${transfer.id}, ${transfer.id})`);
    const shown = 'A statement of the provider shows that the recipient was paid.';
    assert.equal(await said('failed', null, false), `The provider declined the payout. ${shown} E7`);
    assert.equal(await said('cancelled', null, false), shown);
    const another = 'Another amount reached the recipient after it had been cancelled.';
    await db.run(sql`update transfers set message = ${another} where id = ${transfer.id}`);
    assert.match((await finance.get(`${base}/${transfer.id}`)).text, new RegExp(`<p class="alert bad"[^>]*>${another}</p>`));
  });

  test('to a bank account has the account and the bank', async () => {
    const typed = {
      name: 'Boutique',
      channel: 'ng.bank',
      number: '01-2345 6789',
      bank_code: '044',
      amount: '1',
      currency: 'NGN',
    };
    const { text } = await confirmation({ ...typed, amount: '500' });
    assert.match(read(text), /Account number 0123456789 Bank code Access Bank · 044/);
  });

  test('needs a form of this session', async () => {
    const { text } = await confirmation(AMA);
    const { _form, ...without } = hiddenOf(text);
    assert.ok(_form);
    assert.equal((await finance.post(`${base}/send`, without)).status, 403);
    const other = await signedIn(api, 'owner');
    assert.equal((await other.post(`${base}/send`, hiddenOf(text))).status, 403);
  });

  test('needs a fresh proof of the person', async () => {
    const before = await transfers();
    const person = await signedIn(api, 'finance');
    await api.control.run({
      text: `update console_sessions set proved_at = now() - interval '1 hour' where user_id = $1`,
      values: [person.id],
    });
    const to = `/console/confirm?to=${encodeURIComponent(`${base}/new`)}`;
    assert.equal((await person.get(`${base}/new`)).to, to);
    const { text } = await person.get(base);
    const sent = await person.post(`${base}/send?from=${base}/new`, { ...formToken(text), ...AMA });
    assert.deepEqual([sent.status, /<h1>Confirm it is you/.test(sent.text)], [403, true]);
    assert.deepEqual(await transfers(), before);
  });

  test('from the balance of a subaccount is shown with it', async () => {
    const { account } = (await api.call('POST', '/accounts', { body: { name: 'Seller', email: 'seller@shop.example' } })).body;
    const { transfer } = (
      await api.call('POST', '/transfers', {
        body: { amount: 1_000, currency: 'XAF', recipient: '+237650000000', channel: 'cm.mtn' },
        headers: { 'X-Sync': account.id },
      })
    ).body;
    const { text } = await finance.get(`${base}/${transfer.id}`);
    assert.match(read(text), new RegExp(`Paid from subaccount ${account.id}`));
    const [, path = ''] = new RegExp(`href="([^"]+/subaccounts/${account.id})"`).exec(text) ?? [];
    assert.equal((await finance.get(path)).status, 200);
    const [own] = await transfers('&search=PAY-1');
    assert.doesNotMatch(read((await finance.get(`${base}/${own?.id}`)).text), /Paid from/);
  });
});

describe('beneficiaries', () => {
  const typed = { name: 'Kofi', channel: 'cm.orange', number: '690000000', reference: 'K-1' };

  test('are created once, changed, paid and deleted', async () => {
    const form = await finance.get(`${base}/beneficiaries/new`);
    const values = { ...hiddenOf(form.text), ...typed };
    const { to } = await finance.post(`${base}/beneficiaries`, values);
    assert.equal((await finance.post(`${base}/beneficiaries`, values)).to, to);
    const { items } = (await api.call('GET', '/beneficiaries')).body;
    assert.equal(items.length, 1);
    const { id } = items[0];
    assert.equal(to, `${base}/beneficiaries/${id}?done=create`);
    assert.match(read((await finance.get(to as string)).text), /The beneficiary was saved\..*No payouts yet.*\+237690000000/);
    const edit = await finance.get(`${base}/beneficiaries/${id}/edit`);
    assert.match(edit.text, /value="\+237690000000"/);
    const bad = await finance.post(`${base}/beneficiaries/${id}/edit`, { ...hiddenOf(edit.text), name: 'Kofi', number: '12' });
    assert.equal(bad.status, 422);
    assert.match(bad.text, /id="f-number-error"/);
    await finance.post(`${base}/beneficiaries/${id}/edit`, { ...hiddenOf(edit.text), name: 'Kofi Mensah', number: '691111111' });
    const changed = (await api.call('GET', `/beneficiaries/${id}`)).body.beneficiary;
    assert.deepEqual([changed.name, changed.phone, changed.reference], ['Kofi Mensah', '+237691111111', null]);
    const pay = await finance.get(`${base}/new?beneficiary=${id}&currency=XAF`);
    assert.match(pay.text, new RegExp(`value="${id}" selected`));
    const sure = await finance.post(`${base}/new`, { ...hiddenOf(pay.text), beneficiary: id, amount: '1000', currency: 'XAF' });
    assert.match(read(sure.text), /Name Kofi Mensah .*Phone number \+237691111111/);
    const sent = await finance.post(`${base}/send`, hiddenOf(sure.text));
    const paid = await finance.get(sent.to as string);
    assert.ok(paid.text.includes(`/payouts/beneficiaries/${id}"`));
    const one = await finance.get(`${base}/beneficiaries/${id}`);
    assert.match(read(one.text), /FCFA 1,000/);
    const gone = await finance.post(`${base}/beneficiaries/${id}/remove`, formToken(one.text));
    assert.equal(gone.to, `${base}/beneficiaries?done=remove`);
    assert.equal((await finance.get(`${base}/beneficiaries/${id}`)).status, 404);
    assert.equal((await finance.get(sent.to as string)).status, 200);
  });

  test('that change after they were shown are shown again before money goes to them', async () => {
    const body = { name: 'Yaa', channel: 'cm.mtn', phone: '650000009' };
    const { id } = (await api.call('POST', '/beneficiaries', { body })).body.beneficiary;
    const sure = await confirmation({ beneficiary: id, amount: '100', currency: 'XAF', reference: 'MOVED' });
    await api.call('PATCH', `/beneficiaries/${id}`, { body: { phone: '677000001' } });
    const again = await finance.post(`${base}/send`, hiddenOf(sure.text));
    assert.equal(again.status, 200);
    assert.match(read(again.text), /The recipient has changed since it was shown.*\+237677000001/);
    assert.deepEqual(await transfers('&search=MOVED'), []);
    assert.equal((await finance.post(`${base}/send`, hiddenOf(again.text))).status, 303);
  });

  test('of another team are not found', async () => {
    const stranger = await api.newMerchant();
    const { body } = await api.call('POST', '/beneficiaries', {
      key: stranger.sandbox.secret,
      body: { name: 'Foreign', channel: 'cm.mtn', phone: '650000000' },
    });
    const { id } = body.beneficiary;
    for (const path of [`/beneficiaries/${id}`, `/beneficiaries/${id}/edit`, `/new?beneficiary=${id}`]) {
      assert.equal((await finance.get(base + path)).status, 404, path);
    }
    assert.equal((await confirmation({ beneficiary: id, amount: '1000', currency: 'XAF' })).status, 404);
  });
});

test('a support person and a reader see payouts and cannot make one', async () => {
  for (const role of ['support', 'read_only'] as const) {
    const person = await signedIn(api, role);
    const { status, text } = await person.get(base);
    assert.equal(status, 200);
    assert.ok(!text.includes(`${base}/new`));
    assert.equal((await person.get(`${base}/new`)).status, 403);
  }
});
