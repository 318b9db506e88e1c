import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Api, startApi } from '../setup/api.ts';
import { signedIn } from './people.ts';

let api: Api;

before(async () => {
  api = await startApi();
});
after(() => api.stop());

async function create(reference: string, amount: number): Promise<string> {
  const { status, body } = await api.call('POST', '/payments', {
    body: { amount, currency: 'XAF', phone: '+237650000000', reference },
  });
  assert.equal(status, 201);
  return body.transaction.id;
}

test('the list of payments has the filters of the API, in the address', async () => {
  const finance = await signedIn(api, 'finance');
  const page = `/console/${api.team.id}/sandbox/payments`;
  assert.match((await finance.get(page)).text, /No payments yet/);
  const small = await create('small-order', 1000);
  const large = await create('<b>large</b>', 250000);
  const all = (await finance.get(page)).text;
  assert.ok(all.includes(small) && all.includes(large));
  assert.ok(all.includes('&lt;b&gt;large&lt;/b&gt;') && !all.includes('<b>large</b>'));
  const filtered = (await finance.get(`${page}?amount_min=5000`)).text;
  assert.ok(!filtered.includes(small) && filtered.includes(large));
  assert.match(filtered, /250,000/);
  assert.match(filtered, /<a href="[^"]*\/payments" aria-current="page">/);
  const wrong = await finance.get(`${page}?amount_min=many`);
  assert.equal(wrong.status, 200);
  assert.match(wrong.text, /class="error" id="f-amount_min-error"/);
});

test('nothing of the other environment is shown', async () => {
  const owner = await signedIn(api, 'owner');
  const id = await create('sandbox-order', 1000);
  assert.ok(!(await owner.get(`/console/${api.team.id}/live/payments`)).text.includes(id));
});

test('an error in a team is shown in its frame, with the id of the request', async () => {
  const reader = await signedIn(api, 'read_only');
  const gone = await reader.get(`/console/${api.team.id}/sandbox/payments?cursor=forged`);
  assert.equal(gone.status, 200);
  assert.match(gone.text, /class="alert bad"/);
  const unknown = await reader.get(`/console/${api.team.id}/elsewhere/payments`);
  assert.equal(unknown.status, 404);
  assert.match(unknown.text, /<code>req_/);
});

test('a list of several pages is walked to its end and back, with its filters', async () => {
  const reader = await signedIn(api, 'read_only');
  const made: string[] = [];
  for (let i = 0; i < 30; i++) made.push(await create(`walk-${i}`, 700));
  const page = `/console/${api.team.id}/sandbox/payments`;
  const first = (await reader.get(`${page}?search=walk-`)).text;
  const second = (await reader.get(linkOf(first, 'next'))).text;
  const idsOn = (text: string) => made.filter((id) => text.includes(`/payments/${id}"`)).reverse();
  assert.deepEqual([...idsOn(first), ...idsOn(second)], made.toReversed());
  assert.equal(idsOn(first).length, 25);
  assert.doesNotMatch(second, /rel="next"/);
  assert.deepEqual(idsOn((await reader.get(linkOf(second, 'prev'))).text), idsOn(first));
  assert.match((await reader.get(page)).text, /rel="next"/, 'a list without filters too');
});

/** The address behind a link of the pager. */
function linkOf(page: string, rel: 'next' | 'prev'): string {
  const [, href = ''] = new RegExp(`rel="${rel}" href="([^"]+)"`).exec(page) ?? [];
  return href.replaceAll('&amp;', '&');
}
