import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { post } from '../../src/money/ledger/post.ts';
import { type Api, startApi } from '../setup/api.ts';
import { paid } from '../setup/pay.ts';
import { formToken, type Person, type Shown, signedIn } from './people.ts';

let api: Api;
let finance: Person;
let base: string;

before(async () => {
  api = await startApi();
  finance = await signedIn(api, 'finance');
  base = `/console/${api.team.id}/sandbox/subaccounts`;
});
after(() => api.stop());

const GOOD = {
  name: 'Ateliers Mbarga',
  email: 'atelier@sellers.example',
  split_type: 'percentage',
  split_value: '7,5',
  channel: 'cm.mtn',
  account_number: '+237 650 00 00 09',
};

const accounts = async () => (await api.call('GET', '/accounts')).body.items as { id: string }[];
const accountAt = async (page: string) => (await api.call('GET', `/accounts/${page.split('/').at(-1)}`)).body.account;

/** The form in the contents of a page; the frame has others. */
function tokenOf({ text }: Shown): Record<string, string> {
  return formToken(text.slice(text.indexOf('<main')));
}

/** Creates a subaccount as a person does. @returns the path of its page, without the query */
async function made(changes: Record<string, string> = {}): Promise<string> {
  const { status, to } = await finance.submit(`${base}/new`, base, { ...GOOD, ...changes });
  assert.equal(status, 303);
  return (to ?? '').replace(/\?.*/, '');
}

test('a form that was shown is one subaccount, with its share and where it is paid out', async () => {
  assert.match((await finance.get(base)).text, /No subaccounts yet/);
  const token = tokenOf(await finance.get(`${base}/new`));
  const answers = await Promise.all([1, 2, 3].map(() => finance.post(base, { ...token, ...GOOD })));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([303]));
  assert.equal((await accounts()).length, 1);
  const page = (answers[0]?.to ?? '').replace(/\?.*/, '');
  const account = await accountAt(page);
  assert.deepEqual(account.split, { type: 'percentage', value: 7.5 });
  assert.deepEqual(account.settlement, { channel: 'cm.mtn', account_number: '+237650000009' });
  const { text } = await finance.get(page);
  assert.ok(text.includes('7.5%') && text.includes('+237650000009'));
});

test('what is rejected is shown beside its field, with all that was typed; nothing is saved', async () => {
  const before = (await accounts()).length;
  const wrong: [Record<string, string>, string][] = [
    [{ name: ' ' }, 'name'],
    [{ email: 'atelier' }, 'email'],
    [{ split_value: '101' }, 'split_value'],
    [{ split_value: '' }, 'split_value'],
    [{ split_type: 'half' }, 'split_type'],
    [{ split_type: '' }, 'split_type'],
    [{ channel: 'xx.none' }, 'channel'],
    [{ channel: '' }, 'channel'],
    [{ account_number: '12' }, 'account_number'],
  ];
  for (const [changes, field] of wrong) {
    const { status, text } = await finance.submit(`${base}/new`, base, { ...GOOD, phone: 'kept"<', ...changes });
    assert.equal(status, 422, JSON.stringify(changes));
    assert.ok(text.includes(`id="f-${field}-error"`), `${JSON.stringify(changes)}: ${field}`);
    assert.ok(text.includes('value="kept&quot;&lt;"'), 'typed values are kept');
  }
  assert.equal((await accounts()).length, before);
});

test('a change keeps what the form does not show; it is deactivated, activated, and gets an onboarding link', async () => {
  const body = { name: '<i>Seller</i>', email: 's@sellers.example', business_profile: { url: 'https://s.example' } };
  const { account } = (await api.call('POST', '/accounts', { body: { ...body, metadata: { tier: 2 } } })).body;
  const page = `${base}/${account.id}`;
  const shown = await finance.get(page);
  assert.ok(
    shown.text.includes('&lt;i&gt;Seller') && !shown.text.includes('<i>Seller') && shown.text.includes('https://s.example'),
  );
  const values = { ...GOOD, split_type: '', split_value: '', channel: '', account_number: '' };
  assert.equal((await finance.submit(`${page}/edit`, `${page}/edit`, values)).to, `${page}?done=update`);
  const { business_profile, metadata, split, settlement, name } = await accountAt(page);
  assert.deepEqual(
    { business_profile, metadata, split, settlement, name },
    { business_profile: body.business_profile, metadata: { tier: 2 }, split: null, settlement: null, name: GOOD.name },
  );
  const token = () => finance.get(page).then(tokenOf);
  assert.equal((await finance.post(`${page}/deactivate`, await token())).to, `${page}?done=deactivate`);
  assert.equal((await accountAt(page)).active, false);
  assert.equal((await finance.post(`${page}/reactivate`, await token())).to, `${page}?done=reactivate`);
  assert.equal((await accountAt(page)).active, true);
  const linked = await finance.post(`${page}/onboarding`, await token());
  const url = /data-copy="(http[^"]+\/onboarding\/[^"]+)"/.exec(linked.text)?.[1];
  assert.equal((await fetch(url ?? '')).status, 200);
});

test('the balance of a subaccount is its own, in the currency that is chosen', async () => {
  const page = await made({ split_value: '10' });
  await paid(api, { amount: 10_000, headers: { 'X-Sync': page.split('/').at(-1) ?? '' } });
  const { balance } = (await api.call('GET', '/balance', { headers: { 'X-Sync': page.split('/').at(-1) ?? '' } })).body;
  assert.ok(balance.total > 0);
  const figure = new Intl.NumberFormat('en', { maximumFractionDigits: 0 }).format(balance.total);
  const { text } = await finance.get(`${page}?currency=XAF`);
  assert.ok(text.replace(/[\u00A0\u202F]/g, ' ').includes(figure), figure);
  assert.ok(!(await finance.get(`${page}?currency=XOF`)).text.includes(figure));
});

test('a balance below zero is shown with its sign, not as nothing', async () => {
  const page = await made({ split_type: '', split_value: '' });
  const sync = { 'X-Sync': page.split('/').at(-1) ?? '' };
  const postings = [{ debit: `credit:${sync['X-Sync']}` as const, credit: 'clearing' as const, amount_minor: 20_000n }];
  const advanced = { kind: 'advanced', source_id: 'test', subject_id: 'test', currency: 'XAF', postings };
  await api.deps.stores.sandbox.db.transaction((tx) => post(tx, [{ team_id: api.team.id, ...advanced }]));
  const { text } = await finance.get(`${page}?currency=XAF`);
  const figureOf = (name: string) =>
    new RegExp(`<dt>${name}</dt><dd>([^<]*)<`).exec(text)?.[1]?.replaceAll(/[\u00A0\u202F]/g, ' ');
  const { balance } = (await api.call('GET', '/balance', { headers: sync })).body;
  assert.deepEqual([balance.credit, balance.total], [-200, -200]);
  assert.deepEqual([figureOf('Advance'), figureOf('Total')], ['−FCFA 200', '−FCFA 200']);
});

test('money is redirected with a fresh factor only, and by nobody who may not', async () => {
  const page = await made();
  const token = tokenOf(await finance.get(page));
  await api.control.run({
    text: `update console_sessions set proved_at = proved_at - interval '1 hour' where user_id = $1`,
    values: [finance.id],
  });
  const stale = await finance.post(`${page}/edit`, { ...token, ...GOOD, account_number: '+237650000066' });
  assert.deepEqual([stale.status, /<h1>Confirm it is you/.test(stale.text)], [403, true]);
  for (const role of ['support', 'read_only'] as const) {
    const person = await signedIn(api, role);
    const { text } = await person.get(page);
    assert.ok(!text.includes('/edit"'));
    assert.equal((await person.post(`${page}/edit`, { ...formToken(text), ...GOOD })).status, 403);
  }
  assert.equal((await accountAt(page)).settlement.account_number, '+237650000009');
  const other = await signedIn(api, 'owner', (await api.newMerchant()).team);
  assert.equal((await other.get(page)).status, 404);
});
