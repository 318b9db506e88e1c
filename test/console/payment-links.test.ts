import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Api, startApi } from '../setup/api.ts';
import { formToken, type Person, type Shown, signedIn } from './people.ts';

let api: Api;
let support: Person;
let base: string;

before(async () => {
  api = await startApi();
  support = await signedIn(api, 'support');
  base = `/console/${api.team.id}/live/links`;
});
after(() => api.stop());

const GOOD = { title: 'School fees', currency: 'XAF', amount: '25 000', collect: 'phone' };

const live = (method: string, path: string, body?: object) =>
  api.call(method, path, { key: api.keys.live.secret, ...(body ? { body } : {}) });
const links = async () => (await live('GET', '/links')).body.items as { id: string }[];
const linkAt = async (page: string) => (await live('GET', `/links/${page.split('/').at(-1)}`)).body.link;

/** The form in the contents of a page; the frame has others. */
function tokenOf({ text }: Shown): Record<string, string> {
  return formToken(text.slice(text.indexOf('<main')));
}

/** Creates a link as a person does. @returns the path of its page, without the query */
async function made(changes: Record<string, string> = {}): Promise<string> {
  const { status, to } = await support.submit(`${base}/new`, base, { ...GOOD, ...changes });
  assert.equal(status, 303);
  return (to ?? '').replace(/\?.*/, '');
}

test('a form that was shown is one link, however often it is submitted', async () => {
  assert.match((await support.get(base)).text, /No payment links yet/);
  const token = tokenOf(await support.get(`${base}/new`));
  const answers = await Promise.all([1, 2, 3].map(() => support.post(base, { ...token, ...GOOD })));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([303]));
  assert.equal((await links()).length, 1);
  const page = (answers[0]?.to ?? '').replace(/\?.*/, '');
  const link = await linkAt(page);
  assert.deepEqual([link.title, link.amount, link.collect, link.expires_at], ['School fees', 25_000, ['phone'], null]);
  const { text } = await support.get(answers[0]?.to ?? '');
  assert.ok(text.includes(`data-copy="${link.url}"`) && text.includes('data:image/png;base64,'));
  assert.match(text, /share its address/);
});

test('what is rejected is shown beside its field, with all that was typed; nothing is saved', async () => {
  const before = (await links()).length;
  const wrong: [Record<string, string>, string][] = [
    [{ title: ' ' }, 'title'],
    [{ amount: '25,000' }, 'amount'],
    [{ amount: '0.5' }, 'amount'],
    [{ min_amount: '100' }, 'amount'],
    [{ amount: '', min_amount: '900', max_amount: '800' }, 'max_amount'],
    [{ currency: 'BTC' }, 'currency'],
    [{ last_day: '2001-01-01' }, 'last_day'],
    [{ last_day: 'soon' }, 'last_day'],
    [{ last_day: '2099-02-31' }, 'last_day'],
    [{ last_day: '2099' }, 'last_day'],
    [{ last_day: '2099-12' }, 'last_day'],
    [{ last_day: '+275760-09-13' }, 'last_day'],
    [{ max_uses: 'two' }, 'max_uses'],
    [{ max_uses: '0' }, 'max_uses'],
    [{ collect: 'name' }, 'collect'],
    [{ callback: 'javascript:alert(1)' }, 'callback'],
  ];
  for (const [changes, field] of wrong) {
    const { status, text } = await support.submit(`${base}/new`, base, { ...GOOD, reference: 'kept"<', ...changes });
    assert.equal(status, 422, JSON.stringify(changes));
    assert.ok(text.includes(`id="f-${field}-error"`), `${JSON.stringify(changes)}: ${field}`);
    assert.ok(text.includes('value="kept&quot;&lt;"'), 'typed values are kept');
  }
  assert.equal((await links()).length, before);
});

test('a link is changed, deactivated and activated; an end is the last moment of its last day', async () => {
  const page = await made({ title: '<b>Fees</b>', amount: '', min_amount: '500', last_day: '2099-03-31' });
  assert.equal((await linkAt(page)).expires_at, '2099-04-01T00:00:00.000Z');
  const shown = await support.get(page);
  assert.ok(shown.text.includes('&lt;b&gt;Fees') && !shown.text.includes('<b>Fees'));
  assert.match((await support.get(`${page}/edit`)).text, /value="2099-03-31"/);
  const edited = await support.submit(`${page}/edit`, `${page}/edit`, { ...GOOD, currency: 'XOF', last_day: '', max_uses: '10' });
  assert.equal(edited.to, `${page}?done=update`);
  const link = await linkAt(page);
  assert.deepEqual(
    [link.currency, link.amount, link.min_amount, link.expires_at, link.max_uses],
    ['XAF', 25_000, null, null, 10],
  );
  const off = await support.post(`${page}/deactivate`, tokenOf(await support.get(page)));
  assert.equal(off.to, `${page}?done=deactivate`);
  assert.equal((await linkAt(page)).status, 'inactive');
  assert.match((await support.get(`${base}?status=inactive`)).text, /School fees/);
  assert.equal((await support.post(`${page}/activate`, tokenOf(await support.get(page)))).to, `${page}?done=activate`);
  assert.equal((await linkAt(page)).status, 'active');
});

test('what the form does not show is kept: metadata, theming, an end within a day', async () => {
  const kept = { theming: { color: '#123456' }, metadata: { campaign: 'may' }, expires_at: '2099-03-31T10:15:00.000Z' };
  const { link } = (await live('POST', '/links', { title: 'By API', currency: 'XAF', amount: 5_000, ...kept })).body;
  const page = `${base}/${link.id}`;
  const values = { ...GOOD, title: 'By hand', last_day: '2099-03-31' };
  assert.equal((await support.submit(`${page}/edit`, `${page}/edit`, values)).status, 303);
  const { theming, metadata, expires_at, title } = await linkAt(page);
  assert.deepEqual({ theming, metadata, expires_at, title }, { ...kept, title: 'By hand' });
});

test('who reads only sees no buttons; the sandbox and other teams have none of it', async () => {
  const page = await made({ reference: 'may-campaign' });
  const reader = await signedIn(api, 'read_only');
  const { text } = await reader.get(page);
  assert.ok(!/<main[\s\S]*<form/.test(text) && !text.includes('/edit"'));
  const id = page.split('/').at(-1) ?? '';
  assert.ok((await reader.get(`${base}?search=may-campaign`)).text.includes(id));
  assert.equal((await reader.get(`/console/${api.team.id}/live/search?q=${id}`)).to, page);
  const sandbox = await reader.get(base.replace('/live/', '/sandbox/'));
  assert.deepEqual([sandbox.status, /Only in live/.test(sandbox.text)], [403, true]);
  const other = await signedIn(api, 'owner', (await api.newMerchant()).team);
  assert.equal((await other.get(page)).status, 404);
});
