import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { testEndings } from '../../src/providers/adapters/sandbox/codes.ts';
import { newId } from '../../src/kit/ids.ts';
import { sql } from '../../src/kit/sql.ts';
import { type Api, dumpDatabase, startApi, until } from '../setup/api.ts';
import { formToken, type Person, signedIn } from './people.ts';

let api: Api;
let developer: Person;
let base: string;
before(async () => {
  api = await startApi({ env: { REQUEST_LOG: '1000' }, workers: false });
  base = `/console/${api.team.id}`;
  developer = await signedIn(api, 'developer', api.team, 'Ada Builder');
});
after(() => api.stop());

interface Stored {
  method: string;
  path: string;
  status: number;
  error_code: string | null;
  caller: string;
  request_id: string;
}

/** Everything in the log of an environment, the oldest first, once it has the request. */
function logged(environment: 'sandbox' | 'live', request_id: string): Promise<Stored[]> {
  const { db } = api.deps.stores[environment];
  return until(
    () =>
      db.all<Stored>(sql`select method, path, status, error_code, caller, coalesce(request_id, 'req_' || right(id, 26)) as request_id
      from request_log order by id`),
    (rows) => rows.some((row) => row.request_id === request_id),
  );
}

const idOf = ({ headers }: { headers: Headers }) => headers.get('x-request-id') ?? '';
const PAYMENT = { amount: 5000, currency: 'XOF', customer: { name: 'Awa', email: 'awa@payer.example' } };

test('requests with a key are logged with what was answered; others are not', async () => {
  const nobody = [
    await api.call('GET', '/payments', { key: null }),
    await api.call('GET', '/payments', { key: 'sk_test.unknown' }),
    await api.call('GET', '/wp-login.php', { key: null }),
  ];
  const made = await api.call('POST', '/payments', { body: PAYMENT });
  const id = made.body.transaction.id as string;
  const read = await api.call('GET', `/payments/${id}`);
  const wrong = await api.call('POST', '/payments', { body: { amount: -1 } });
  const absent = await api.call('GET', '/payments/+2250701020304?search=Awa', { headers: { 'x-request-id': 'mine-1' } });
  const astray = await api.call('GET', '/Awa/secret');
  const forbidden = await api.call('GET', '/balance', { key: api.keys.sandbox.public });
  const rows = await logged('sandbox', idOf(forbidden));
  const find = (answer: { headers: Headers }) => {
    const { caller: _, request_id: __, ...row } = rows.find((one) => one.request_id === idOf(answer)) ?? ({} as Stored);
    return row;
  };
  for (const answer of nobody) assert.deepEqual(find(answer), {});
  assert.deepEqual(find(made), { method: 'POST', path: '/payments', status: 201, error_code: null });
  assert.deepEqual(find(read), { method: 'GET', path: `/payments/${id}`, status: 200, error_code: null });
  assert.equal(find(wrong).status, 422);
  assert.deepEqual(find(absent), { method: 'GET', path: '/payments/…', status: 404, error_code: null });
  assert.deepEqual(find(astray), { method: 'GET', path: '/…/…', status: 404, error_code: null });
  assert.equal(find(forbidden).status, 406);
  const callers = await api.control.all<{ id: string; kind: string }>(
    sql`select id, kind from api_keys where team_id = ${api.team.id} and environment = 'sandbox'`,
  );
  const callerOf = (answer: { headers: Headers }) => rows.find((one) => one.request_id === idOf(answer))?.caller;
  assert.equal(callerOf(made), callers.find(({ kind }) => kind === 'secret')?.id);
  assert.equal(callerOf(forbidden), callers.find(({ kind }) => kind === 'public')?.id);
});

test('no query and no text in a path is stored', async () => {
  await api.call('POST', '/payments?canary=canary-in-query', { body: PAYMENT });
  const last = await api.call('GET', '/payments/canary-in-path?search=canary-in-query');
  await logged('sandbox', idOf(last));
  const dump = (await dumpDatabase(api.deps.stores.sandbox.db)).split('\n');
  assert.deepEqual(
    dump.filter((line) => line.includes('canary-in-query') || line.includes('canary-in-path')),
    [],
  );
});

test('the page shows the requests of its environment, newest first, with filters', async () => {
  const failed = await api.call('POST', '/payments', { body: {}, headers: { 'x-request-id': 'order-77' } });
  const live = await api.call('GET', '/payments', { key: api.keys.live.secret, headers: { 'x-request-id': 'live-1' } });
  await Promise.all([logged('sandbox', 'order-77'), logged('live', 'live-1')]);
  assert.deepEqual([failed.status, live.status], [422, 200]);
  const page = async (query: string, environment = 'sandbox') =>
    (await developer.get(`${base}/${environment}/developers/requests${query}`)).text;
  const all = await page('');
  assert.match(all, /order-77/);
  assert.doesNotMatch(all, /live-1/);
  assert.match(await page('', 'live'), /live-1/);
  assert.doesNotMatch(await page('', 'live'), /order-77/);
  assert.match(await page('?result=failed&method=POST&request_id=order-77'), /data-copy="order-77"/);
  for (const query of [
    '?result=2xx&request_id=order-77',
    '?result=5xx',
    '?method=DELETE',
    '?caller=key_other',
    '?day=2020-01-01',
  ]) {
    assert.match(await page(query), /No request matches/, query);
  }
  // Not the present one: midnight may have come since.
  const [row] = await api.deps.stores.sandbox.db.all<{ day: string }>(sql`
    select to_char(created_at at time zone 'UTC', 'YYYY-MM-DD') as day from request_log where request_id = 'order-77'`);
  assert.match(await page(`?day=${row?.day}&result=4xx`), /data-copy="order-77"/);
});

test('a wrong day or cursor is reported in the page', async () => {
  const path = `${base}/sandbox/developers/requests`;
  for (const wrong of ['yesterday', '2026-02-30', '2026-11']) {
    const day = await developer.get(`${path}?day=${wrong}`);
    assert.equal(day.status, 200);
    assert.match(day.text, /id="f-day-error"/, wrong);
  }
  assert.match((await developer.get(`${path}?cursor=forged`)).text, /role="alert"/);
});

test('pages lead on to older requests and back', async () => {
  const { team } = await api.newMerchant();
  const person = await signedIn(api, 'developer', team);
  await fill(team.id, 120, 'GET');
  const path = `/console/${team.id}/sandbox/developers/requests`;
  const seen: string[] = [];
  let next: string | undefined = path;
  const pages: string[] = [];
  while (next) {
    const { text } = await person.get(next);
    pages.push(next);
    seen.push(...requestIds(text));
    next = link(text, 'next');
  }
  assert.equal(pages.length, 3);
  assert.deepEqual(
    seen,
    Array.from({ length: 120 }, (_, i) => `r-${119 - i}`),
  );
  const back = link((await person.get(pages[2] ?? '')).text, 'prev') ?? '';
  assert.deepEqual(requestIds((await person.get(back)).text), seen.slice(50, 100));
});

test('a filter that fits little searches a part at a time, and finds it', async () => {
  const { team } = await api.newMerchant();
  const person = await signedIn(api, 'developer', team);
  await fill(team.id, 1, 'DELETE');
  await fill(team.id, 6_000, 'GET');
  const { text } = await person.get(`/console/${team.id}/sandbox/developers/requests?method=DELETE`);
  assert.match(text, /Only a part of the log has been searched/);
  assert.equal(requestIds(text).length, 0);
  assert.deepEqual(requestIds((await person.get(link(text, 'next') ?? '')).text), ['r-0']);
});

/** Stores requests, each a millisecond after the one before it. */
async function fill(team_id: bigint, count: number, method: string): Promise<void> {
  const { db } = api.deps.stores.sandbox;
  const from = Date.now() - (method === 'GET' ? 10_000 : 20_000);
  const ids = Array.from({ length: count }, (_, i) => newId('rql', 'sandbox', from + i));
  await db.run(sql`
    insert into request_log (team_id, id, request_id, method, path, status, duration_ms, caller, created_at)
    select ${team_id}, id, 'r-' || n - 1, ${method}, '/payments', 200, 1, 'key_1', pirogue_now()
    from unnest(${ids}::text[]) with ordinality as i (id, n)`);
}

const requestIds = (text: string) => [...text.matchAll(/data-copy="(r-\d+)"/g)].map(([, id]) => id ?? '');
const link = (text: string, rel: string) => new RegExp(`rel="${rel}" href="([^"]+)"`).exec(text)?.[1]?.replaceAll('&amp;', '&');

test('what a person changes in the console is logged under their id, and the timeline of the payment leads to it', async () => {
  const page = `${base}/sandbox/developers/sandbox`;
  const token = formToken((await developer.get(page)).text);
  const { to } = await developer.post(`${page}/payment`, { ...token, ending: testEndings()[0]?.digits ?? '' });
  const rows = await until(
    () => api.deps.stores.sandbox.db.all<Stored>(sql`select * from request_log where caller = ${developer.id} order by id`),
    (found) => found.length > 1,
  );
  assert.deepEqual(
    rows.map(({ method, path }) => `${method} ${path.replace(/trx_\w+/, 'id')}`),
    ['POST /payments', 'POST /payments/id'],
  );
  const { text } = await developer.get(`${base}/sandbox/developers/requests?caller=${developer.id}`);
  assert.match(text, /Ada Builder/);
  const payment = /payments\/(trx_test_[0-9a-z]{26})/.exec(to ?? '')?.[1];
  assert.ok(payment);
  const timeline = (await developer.get(`${base}/sandbox/payments/${payment}`)).text;
  assert.ok(timeline.includes(`/developers/requests?request_id=${rows[0]?.request_id}`));
});

test('a team sees its own requests only, and only with the permission', async () => {
  const other = await api.newMerchant();
  await api.call('GET', '/balance', { key: other.sandbox.secret, headers: { 'x-request-id': 'others-1' } });
  await logged('sandbox', 'others-1');
  assert.doesNotMatch(
    (await developer.get(`${base}/sandbox/developers/requests?request_id=others-1`)).text,
    /data-copy="others-1"/,
  );
  for (const role of ['finance', 'support', 'read_only'] as const) {
    const person = await signedIn(api, role);
    assert.equal((await person.get(`${base}/sandbox/developers/requests`)).status, 403, role);
  }
});

test('a day with more requests than are kept says so', async () => {
  const { team, sandbox } = await api.newMerchant();
  await api.deps.stores.sandbox.db.run(
    sql`insert into request_log_days (team_id, day, requests) values (${team.id}, date_trunc('day', pirogue_now(), 'UTC'), 1000)`,
  );
  await api.call('GET', '/balance', { key: sandbox.secret, headers: { 'x-request-id': 'too-many' } });
  const person = await signedIn(api, 'owner', team);
  const path = `/console/${team.id}/sandbox/developers/requests`;
  const { text } = await until(
    () => person.get(path),
    (shown) => shown.text.includes('At most 1,000 requests'),
  );
  assert.doesNotMatch(text, /too-many/);
});
