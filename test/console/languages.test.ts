import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { mailSweep } from '../../src/edge/mail/sweeps.ts';
import type { OutgoingMail } from '../../src/edge/mail/outgoing.ts';
import { sql } from '../../src/kit/sql.ts';
import { findTeam } from '../../src/tenants/teams/store.ts';
import { readPdf } from '../receipts/read-pdf.ts';
import { type Api, FakeClock, startApi } from '../setup/api.ts';
import { Registry, type TestProvider } from '../setup/providers.ts';
import { formToken, type Person, type Shown, signedIn } from './people.ts';

const provider: TestProvider = {
  name: 'prompt',
  collects: () => true,
  submit: async ({ amount_minor, currency }) => ({ kind: 'succeeded', provider_ref: 'p', amount_minor, currency }),
  read: async () => ({ kind: 'pending', poll_after_ms: 3_600_000 }),
};

const clock = new FakeClock();
let api: Api;
let owner: Person;
let base: string;

before(async () => {
  api = await startApi({ clock, workers: false, providers: new Registry({ sandbox: [provider], live: [provider] }) });
  await api.control.run({ text: 'update teams set verification_level = 4 where id = $1', values: [api.team.id] });
  owner = await signedIn(api, 'owner');
  base = `/console/${api.team.id}/live/settings/languages`;
});
after(() => api.stop());

const live = async (path: string, body: object) => {
  const answer = await api.call('POST', path, { key: api.keys.live.secret, body });
  assert.ok(answer.status < 300, JSON.stringify(answer.body));
  return answer.body;
};

/** The form in the contents of a page; the frame has others. */
const tokenOf = ({ text }: Shown) => formToken(text.slice(text.indexOf('<main')));

async function choose(when: string, payer_language: string): Promise<Shown> {
  const saved = await owner.post(base, { ...tokenOf(await owner.get(base)), when, payer_language });
  // The hosted page remembers a merchant for less than a second.
  clock.advance(1_000);
  return saved;
}

const storedOf = async () => {
  const team = await findTeam(api.control, api.team.id);
  return [team?.payer_language, team?.payer_language_always];
};

async function hosted(fields: object = {}): Promise<string> {
  const made = await live('/payments', { amount: 1000, currency: 'XAF', phone: '+237650000000', ...fields });
  return made.authorization_url;
}

async function paid(fields: object = {}): Promise<string> {
  const made = await live('/payments', { amount: 1000, currency: 'XAF', phone: '+237650000000', ...fields });
  await live(`/payments/${made.transaction.id}`, { channel: 'cm.mtn', data: { phone: '650000000' } });
  return made.authorization_url;
}

async function linked(fields: object = {}): Promise<string> {
  return (await live('/links', { title: 'Fees', currency: 'XAF', amount: 5000, ...fields })).link.url;
}

async function invoiced(fields: object = {}): Promise<string> {
  const items = [{ name: 'Seat', unit_price: 5000 }];
  const draft = await live('/invoices', { currency: 'XAF', customer: { phone: '+237650000117' }, items, ...fields });
  return (await live(`/invoices/${draft.invoice.id}/send`, {})).invoice.url;
}

/** Languages that a page and its header name. */
async function languageAt(url: string, accepts: string): Promise<string | undefined> {
  const page = await fetch(url, { headers: { 'accept-language': accepts } });
  const text = await page.text();
  const language = /<html lang="([a-z]+)"/.exec(text)?.[1];
  assert.equal(page.headers.get('content-language'), language, url);
  return language;
}

/** What a payer with a browser sees, by setting: written down by hand, not computed. */
const SEEN: [setting: [when: string, language: string] | null, seen: Record<string, string>][] = [
  [null, { '*': 'en', 'fr-CM': 'fr', 'en-GB,en': 'en', 'pt-AO': 'pt', 'de-DE': 'en' }],
  [['browser', 'fr'], { '*': 'fr', 'fr-CM': 'fr', 'en-GB,en': 'en', 'pt-AO': 'pt', 'de-DE': 'fr' }],
  [['browser', 'en'], { '*': 'en', 'fr-CM': 'fr', 'en-GB,en': 'en', 'pt-AO': 'pt', 'de-DE': 'en' }],
  [['always', 'fr'], { '*': 'fr', 'fr-CM': 'fr', 'en-GB,en': 'fr', 'pt-AO': 'fr', 'de-DE': 'fr' }],
  [['always', 'en'], { '*': 'en', 'fr-CM': 'en', 'en-GB,en': 'en', 'pt-AO': 'en', 'de-DE': 'en' }],
  [['always', 'pt'], { '*': 'pt', 'fr-CM': 'pt', 'en-GB,en': 'pt', 'pt-AO': 'pt', 'de-DE': 'pt' }],
];

test('every page for payers is in the language that team and browser decide', async () => {
  const receipt = await paid();
  const closed = await live('/links', { title: 'Over', currency: 'XAF', amount: 5000 });
  await api.call('PATCH', `/links/${closed.link.id}`, { key: api.keys.live.secret, body: { active: false } });
  const pages = [await hosted(), receipt, `${receipt}/receipt`, await linked(), closed.link.url, await invoiced()];
  for (const [setting, seen] of SEEN) {
    if (setting) assert.equal((await choose(...setting)).to, `${base}?done=save`);
    for (const [accepts, language] of Object.entries(seen)) {
      for (const url of pages) assert.equal(await languageAt(url, accepts), language, `${setting} ${accepts} ${url}`);
    }
  }
  const pdf = await fetch(`${receipt}/receipt.pdf`, { headers: { 'accept-language': 'fr' } });
  const { structure } = await readPdf(new Uint8Array(await pdf.arrayBuffer()));
  assert.equal(/\/Lang \((\w+)\)/.exec(structure)?.[1], 'pt');
});

test('what a payer chooses on the page, and what a payment, link or invoice names, is stronger than the setting', async () => {
  await choose('always', 'fr');
  const theming = { locale: 'en' };
  for (const url of [await hosted({ theming }), await linked({ theming }), await invoiced({ locale: 'en' })]) {
    assert.equal(await languageAt(url, 'fr'), 'en', url);
  }
  for (const url of [await linked(), await invoiced()]) assert.equal(await languageAt(`${url}?lang=pt`, 'en'), 'pt', url);
  const url = await hosted();
  const chosen = await fetch(`${url}?lang=en`, { redirect: 'manual' });
  const page = await fetch(url, { headers: { cookie: chosen.headers.get('set-cookie')?.split(';')[0] ?? '' } });
  assert.match(await page.text(), /<html lang="en"/);
  await choose('browser', 'fr');
  assert.equal(
    await languageAt(await invoiced({ locale: 'en' }), 'de'),
    'en',
    'the locale of an invoice comes before the fallback',
  );
  const wolof = [...Array.from({ length: 19 }, () => 'wo'), 'wo-SN'].join();
  for (const accepts of ['wo-SN', wolof, 'sw-KE;q=0.1, wo-SN']) {
    assert.equal(
      await languageAt(await invoiced({ locale: 'pt' }), accepts),
      'fr',
      'the locale of an invoice comes after the country',
    );
  }
  const unknown = Array.from({ length: 25 }, () => 'de').join();
  assert.equal(await languageAt(await invoiced({ locale: 'pt' }), unknown), 'pt', 'however many languages the browser names');
});

test('mails to payers are in the language of the team, or have it beside those of the country', async () => {
  const subjects = async (setting: [string, string], fields: object = {}) => {
    await choose(...setting);
    await api.deps.stores.live.db.run(sql`delete from mails`);
    await paid({ email: 'awa@buyers.example', ...fields });
    await invoiced({ customer: { email: 'awa@buyers.example' } });
    const mails: OutgoingMail[] = [];
    const mailer = { send: async (mail: OutgoingMail) => ({ kind: 'sent' as const, _: mails.push(mail) }) };
    await mailSweep(api.deps, api.deps.stores.live, mailer).round();
    assert.equal(mails.length, 2);
    return mails.map(({ subject }) => subject.replace(/INV-\S+|\d\S*/, '#')).sort();
  };
  const both = await subjects(['browser', 'en']);
  assert.ok(
    both.every((subject) => subject.includes(' / ')),
    String(both),
  );
  const french = await subjects(['always', 'fr']);
  assert.ok(french.some((subject) => subject.startsWith('Votre reçu')) && french.every((subject) => !subject.includes(' / ')));
  assert.deepEqual(await subjects(['browser', 'fr']), french, 'XAF is French already');
  const english = await subjects(['always', 'en']);
  assert.ok(english.some((subject) => subject.startsWith('Your receipt')) && english.every((one) => !one.includes(' / ')));
  const own = await subjects(['always', 'en'], { theming: { locale: 'fr' } });
  assert.ok(
    own.some((subject) => subject.startsWith('Votre reçu')),
    'the locale of a payment is stronger',
  );
});

test('the form shows what is set, rejects what is no choice, and does not undo what somebody else saved', async () => {
  await choose('always', 'fr');
  const { text } = await owner.get(base);
  assert.match(text, /value="always" checked/);
  assert.match(text, /<option value="fr" selected>/);
  assert.match(text, /<iframe[^>]* src="[^"]*language=fr/);
  for (const [field, values] of Object.entries({
    when: { when: '', payer_language: 'en' },
    payer_language: { when: 'browser', payer_language: 'xx' },
  })) {
    const wrong = await owner.post(base, { ...formToken(text.slice(text.indexOf('<main'))), ...values });
    assert.equal(wrong.status, 422);
    assert.ok(wrong.text.includes(`id="f-${field}-error"`));
    assert.deepEqual(await storedOf(), ['fr', true]);
  }
  const hidden = Object.fromEntries(
    [...text.slice(text.indexOf('<main')).matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(([, n = '', v = '']) => [
      n,
      v,
    ]),
  );
  await choose('browser', 'pt');
  assert.equal((await owner.post(base, { ...hidden, when: 'always', payer_language: 'en' })).status, 409);
  assert.deepEqual(await storedOf(), ['pt', false]);
  const entries = await api.control.all({
    text: `select distinct actor, split_part(actor_id, ':', 1) as id from audit_entries where action = 'team.update'`,
    values: [],
  });
  assert.deepEqual(entries, [{ actor: 'user', id: owner.id }]);
  const direct = (change: string) => api.control.run({ text: `update teams set ${change} where id = $1`, values: [api.team.id] });
  await assert.rejects(direct(`payer_language = 'FR;'`), /teams_payer_language_check/);
  await assert.rejects(direct('payer_language = null, payer_language_always = true'), /teams_payer_language_check/);
});

test('a language that this release does not have is as none', async () => {
  await api.control.run({
    text: `update teams set payer_language = 'sw', payer_language_always = true where id = $1`,
    values: [api.team.id],
  });
  clock.advance(1_000);
  for (const url of [await hosted(), await linked(), await invoiced()]) {
    assert.deepEqual([await languageAt(url, 'fr'), await languageAt(url, 'de')], ['fr', 'en'], url);
  }
  assert.equal((await owner.get(base)).status, 200);
});

test('who only reads settings sees the language and has no form', async () => {
  await choose('always', 'fr');
  const reader = await signedIn(api, 'read_only');
  const { status, text } = await reader.get(base);
  assert.equal(status, 200);
  assert.ok(text.includes('Français') && !/<main[\s\S]*<form/.test(text));
  assert.equal((await reader.post(base, { ...formToken(text), when: 'browser', payer_language: 'en' })).status, 403);
  assert.deepEqual(await storedOf(), ['fr', true]);
});
