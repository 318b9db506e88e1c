import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sampleForm } from '../../src/edge/checkout/sample.ts';
import { PLAIN } from '../../src/edge/pages/theme/theme.ts';
import { CURRENCIES } from '../../src/kit/money.ts';
import { hostedPageUrl } from '../../src/core/payments/token.ts';
import { findTeam } from '../../src/tenants/teams/store.ts';
import { type Api, startApi } from '../setup/api.ts';
import { formToken, type Person, type Shown, signedIn } from './people.ts';

let api: Api;
let owner: Person;
let base: string;

before(async () => {
  api = await startApi();
  owner = await signedIn(api, 'owner');
  base = `/console/${api.team.id}/live/settings/branding`;
});
after(() => api.stop());

const colorOf = async () => (await findTeam(api.control, api.team.id))?.brand_color;

/** The form in the contents of a page; the frame has others. */
function tokenOf({ text }: Shown): Record<string, string> {
  return formToken(text.slice(text.indexOf('<main')));
}

const save = async (values: Record<string, string>) => owner.post(base, { ...tokenOf(await owner.get(base)), ...values });

/** Brand colour of a page for payers: that of the browser's toolbar, too. */
async function colorAt(url: string): Promise<string | undefined> {
  const page = await fetch(url, { headers: { 'accept-language': 'en' } });
  const text = await page.text();
  const policy = page.headers.get('content-security-policy') ?? '';
  if (text.includes(':root{--brand:')) assert.match(policy, /style-src ('sha256-[^']+' ?)+;/, 'the policy allows the style');
  return /name="theme-color" content="([^"]+)"/.exec(text)?.[1];
}

/** Hosted page of a new payment. */
async function hosted(theming?: object): Promise<string> {
  const body = { amount: 1000, currency: 'XAF', phone: '+237650000000', ...(theming ? { theming } : {}) };
  const { transaction } = (await api.call('POST', '/payments', { body })).body;
  return hostedPageUrl(api.deps, api.deps.stores.sandbox, api.team.id, transaction.id);
}

test('the colour of the team is that of its hosted pages, links and invoices; a payment may have its own', async () => {
  await api.control.run({ text: 'update teams set verification_level = 2 where id = $1', values: [api.team.id] });
  const live = async (path: string, body: object) => (await api.call('POST', path, { key: api.keys.live.secret, body })).body;
  const { link } = await live('/links', { title: 'Fees', currency: 'XAF', amount: 5000 });
  const items = [{ name: 'Seat', unit_price: 5000 }];
  const draft = await live('/invoices', { currency: 'XAF', customer: { phone: '+237650000117' }, items });
  const { invoice } = await live(`/invoices/${draft.invoice.id}/send`, {});
  const pages = [await hosted(), link.url, invoice.url];
  for (const url of pages) assert.equal(await colorAt(url), '#0b4a5e', url);
  assert.equal((await save({ brand_color: '#6B1D5C' })).to, `${base}?done=save`);
  assert.equal(await colorOf(), '#6b1d5c');
  // The hosted page remembers a merchant for less than a second.
  await new Promise((resolve) => setTimeout(resolve, 900));
  for (const url of pages) assert.equal(await colorAt(url), '#6b1d5c', url);
  assert.equal(await colorAt(await hosted({ color: '#1a6b2e' })), '#1a6b2e');
  const entries = await api.control.all({
    text: `select action from audit_entries where action = 'team.update' and split_part(actor_id, ':', 1) = $1`,
    values: [owner.id],
  });
  assert.deepEqual(entries, [{ action: 'team.update' }]);
});

test('our own colour is none of the team, and what is no colour changes nothing', async () => {
  await save({ brand_color: '#123456' });
  for (const wrong of ['', 'red', '#12345', '#12345g', 'url(//x)', '#123456;}', 'var(--brand)']) {
    const { status, text } = await save({ brand_color: wrong });
    assert.equal(status, 422, wrong);
    assert.ok(text.includes('id="f-brand_color-error"') && !text.includes('<iframe'));
    assert.equal(await colorOf(), '#123456');
  }
  await save({ do: 'reset', brand_color: '#654321' });
  assert.equal(await colorOf(), null);
  await save({ brand_color: '#0b4a5e' });
  assert.equal(await colorOf(), null);
  const direct = api.control.run({ text: `update teams set brand_color = 'red;' where id = $1`, values: [api.team.id] });
  await assert.rejects(direct, /teams_brand_color_check/);
});

test('the preview shows a colour before it is saved, and is shown by the console only', async () => {
  const shown = await owner.post(`${base}/try`, { ...tokenOf(await owner.get(base)), brand_color: '#8a1c1c' });
  assert.equal(shown.status, 200);
  const source = /<iframe[^>]* src="([^"]+)"/.exec(shown.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
  assert.match(shown.headers.get('content-security-policy') ?? '', /frame-src 'self'/);
  assert.equal(await colorOf(), null, 'nothing is saved');
  const { status, text, headers } = await owner.get(source);
  assert.equal(status, 200);
  assert.ok(text.includes(api.team.name) && text.includes('--brand:#8a1c1c') && text.includes('class="means"'));
  assert.match(text, /name="form_token" value=""/, 'a form without a token is accepted nowhere');
  assert.ok(!text.includes('<script'), 'nothing in it runs');
  const policy = headers.get('content-security-policy') ?? '';
  for (const part of ['sandbox;', "form-action 'none'", "frame-ancestors 'self'", "default-src 'none'"])
    assert.ok(policy.includes(part));
  assert.ok(!policy.includes('script-src') && !policy.includes('unsafe'));
  assert.equal(headers.get('x-frame-options'), 'SAMEORIGIN');
  const hostile = await owner.get(`${base}/preview?color=%23fff%3B%7D%3C%2Fstyle%3E%3Cscript%3E`);
  assert.ok(!hostile.text.includes(':root{--brand:') && !hostile.text.includes('</style><script>'));
});

test('the sample has payment methods in every currency', () => {
  for (const currency of CURRENCIES) {
    const { text } = sampleForm({
      language: 'en',
      merchant: 'Awa',
      theme: PLAIN,
      currency,
      fees: api.deps.config.fees,
      description: '',
    });
    assert.ok(text.includes('class="means"'), currency);
  }
});

test('everyone sees the branding, and only those who may change settings have the form; a fresh factor is needed', async () => {
  const reader = await signedIn(api, 'read_only');
  const { status, text } = await reader.get(base);
  assert.equal(status, 200);
  assert.ok(text.includes('<iframe') && !/<main[\s\S]*<form/.test(text));
  for (const path of [base, `${base}/try`]) {
    assert.equal((await reader.post(path, { ...formToken(text), brand_color: '#123456' })).status, 403);
  }
  const token = tokenOf(await owner.get(base));
  await api.control.run({
    text: `update console_sessions set proved_at = proved_at - interval '1 hour' where user_id = $1`,
    values: [owner.id],
  });
  const stale = await owner.post(`${base}?from=${base}`, { ...token, brand_color: '#123456' });
  assert.deepEqual([stale.status, /<h1>Confirm it is you/.test(stale.text)], [403, true]);
  assert.equal(await colorOf(), null);
});
