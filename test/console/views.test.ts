import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { deleteMember } from '../../src/tenants/people/member-store.ts';
import { insertMembership } from '../../src/tenants/people/store.ts';
import { type Api, startApi } from '../setup/api.ts';
import { formToken, type Person, type Shown, signedIn } from './people.ts';

let api: Api;
let base: string;

before(async () => {
  api = await startApi();
  base = `/console/${api.team.id}/sandbox/payments`;
});
after(() => api.stop());

/** The form in the contents of a page; the frame has others. */
function tokenOf({ text }: Shown): Record<string, string> {
  return formToken(text.slice(text.indexOf('<main')));
}

/** Names and addresses of the saved views of a page. */
function viewsIn({ text }: Shown): [name: string, path: string][] {
  const list = /<ul class="chips"[\s\S]*?<\/ul>/.exec(text)?.[0] ?? '';
  return [...list.matchAll(/<a href="([^"]+)"[^>]*>([^<]*)<\/a>/g)].map(([, path = '', name = '']) => [
    name,
    path.replaceAll('&amp;', '&'),
  ]);
}

async function save(person: Person, query: string, name: string, page = base): Promise<Shown> {
  const shown = await person.get(`${page}?${query}`);
  return person.post(`${page}/views?${query}`, { ...formToken(shown.text), name });
}

test('filters are kept under a name, and lead back to the same list; a searched text and anything unknown are not kept', async () => {
  const person = await signedIn(api, 'read_only');
  assert.doesNotMatch((await person.get(base)).text, /Save this view/);
  const query = 'status=failed&amount_min=500&search=ama%40buyers.example&cursor=x&evil=%3Cscript%3E';
  const saved = await save(person, query, ' Failed <b> ');
  assert.deepEqual([saved.status, saved.to], [303, `${base}?status=failed&amount_min=500`]);
  const shown = await person.get(saved.to ?? '');
  assert.deepEqual(viewsIn(shown), [['Failed &lt;b&gt;', `${base}?status=failed&amount_min=500`]]);
  assert.match(shown.text, /aria-current="true">Failed/);
  assert.doesNotMatch(shown.text, /Save this view/, 'it is saved already');
  const rows = await api.control.all({ text: 'select query from console_views where user_id = $1', values: [person.id] });
  assert.deepEqual(rows, [{ query: 'status=failed&amount_min=500' }]);
});

test('a name that is used again gets the new filters, and a form that is submitted twice is one view', async () => {
  const person = await signedIn(api, 'support');
  await save(person, 'status=failed', 'Mine');
  await save(person, 'status=succeeded', 'Mine');
  const token = tokenOf(await person.get(`${base}?status=pending`));
  await Promise.all([1, 2, 3].map(() => person.post(`${base}/views?status=pending`, { ...token, name: 'Twice' })));
  assert.deepEqual(viewsIn(await person.get(base)), [
    ['Mine', `${base}?status=succeeded`],
    ['Twice', `${base}?status=pending`],
  ]);
});

test('what is no name, no filter or one too many is said beside the field, with the filters kept', async () => {
  const person = await signedIn(api, 'support');
  for (const name of ['', ' ', 'x'.repeat(41), 'bell\u0007', '\u200b', '\u2060\u00ad', 'liaf\u202e']) {
    const { status, text } = await save(person, 'status=failed', name);
    assert.equal(status, 422, name);
    assert.ok(text.includes('id="f-name-error"') && text.includes('<option value="failed" selected>'));
  }
  assert.equal((await save(person, 'search=x', 'Nothing')).status, 422);
  const place = [person.id, String(api.team.id)];
  const text = `insert into console_views (user_id, team_id, environment, page, name, query)
    select $1, $2, 'sandbox', '/payments', 'view ' || n, 'amount_min=' || n from generate_series(1, 18) n`;
  await api.control.run({ text, values: place });
  const answers = await Promise.all([1, 2, 3, 4, 5].map((n) => save(person, `amount_max=${n}`, `at once ${n}`)));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [303, 303, 422, 422, 422]);
  assert.equal(viewsIn(await person.get(base)).length, 20);
  assert.equal((await save(person, 'status=failed', 'view 7')).status, 303, 'one that exists can still be changed');
});

test('a view is deleted; those of other people, lists, environments and teams are not seen', async () => {
  const person = await signedIn(api, 'owner');
  await save(person, 'status=failed', 'Mine');
  for (const elsewhere of [`/console/${api.team.id}/live/payments`, `/console/${api.team.id}/live/invoices`]) {
    assert.deepEqual(viewsIn(await person.get(elsewhere)), []);
  }
  const other = await signedIn(api, 'owner');
  assert.deepEqual(viewsIn(await other.get(base)), []);
  await other.post(`${base}/views/delete`, { ...tokenOf(await other.get(`${base}?status=failed`)), name: 'Mine' });
  const shown = await person.get(`${base}?status=pending`);
  assert.deepEqual(viewsIn(shown), [['Mine', `${base}?status=failed`]]);
  const gone = await person.post(`${base}/views/delete?status=pending`, { ...tokenOf(shown), name: 'Mine' });
  assert.equal(gone.to, `${base}?status=pending`);
  assert.deepEqual(viewsIn(await person.get(base)), []);
});

test('invoices and payment links have views of their own', async () => {
  const person = await signedIn(api, 'finance');
  for (const [path, query] of [
    ['invoices', 'status=overdue'],
    ['links', 'status=inactive'],
  ]) {
    const page = `/console/${api.team.id}/live/${path}`;
    assert.equal((await save(person, `${query}&search=x`, 'Late', page)).to, `${page}?${query}`);
    assert.deepEqual(viewsIn(await person.get(page)), [['Late', `${page}?${query}`]]);
  }
});

test('views end with the membership', async () => {
  const person = await signedIn(api, 'support');
  await save(person, 'status=failed', 'Mine');
  await api.control.transaction((tx) => deleteMember(tx, api.team.id, person.id));
  await insertMembership(api.control, api.team.id, person.id, 'support');
  assert.deepEqual(viewsIn(await person.get(base)), []);
});
