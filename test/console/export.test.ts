import assert from 'node:assert/strict';
import http from 'node:http';
import { after, before, describe, test } from 'node:test';
import { wireMoney } from '../../src/edge/console/parts/format.ts';
import { typedAmount } from '../../src/edge/console/parts/amount.ts';
import { sql } from '../../src/kit/sql.ts';
import { type Api, startApi, until } from '../setup/api.ts';
import { paid } from '../setup/pay.ts';
import { type Person, signedIn } from './people.ts';

const HEAD =
  'id,created_at,completed_at,status,currency,amount,fee,fee_bearer,amount_captured,amount_refunded,channel,reason,reference,description,customer,name,phone,email';

let api: Api;
let reader: Person;
let base: string;
/** Pages of exports that were read. */
let pages = 0;
/** What happens when the next page is read. */
const whilePages: (() => Promise<unknown>)[] = [];

before(async () => {
  const listen = ({ text }: { text: string }) => {
    if (text.includes('captured_minor, refunded_minor, channel') && text.includes('id = any(')) {
      pages += 1;
      whilePages.splice(0).forEach((work) => void work());
    }
    return null;
  };
  api = await startApi({ watch: (database) => (database === 'sandbox' ? listen : undefined) });
  reader = await signedIn(api, 'read_only');
  base = `/console/${api.team.id}/sandbox/payments`;
});
after(() => api.stop());

test('amounts that people type', () => {
  const read = { '25000': 25_000, '25 000': 25_000, '1\u202f250,50': 1250.5, '0.5': 0.5, ' 7 ': 7 };
  for (const [text, amount] of Object.entries(read)) assert.equal(typedAmount(text), amount, text);
  for (const text of ['', '25,000', '1.000', '-1', '+1', '1e3', '0x10', '12 FCFA', '.5', '5.', 'NaN', '٢٥', '1'.repeat(14)]) {
    assert.equal(typedAmount(text), null, text);
  }
});

test('amounts of the API are shown whatever their size and sign', () => {
  const shown = (amount: number) => wireMoney(amount, 'USD', 'en').replaceAll(/[^\d.−]/g, '');
  const read = { '1.1': 1.1, '−0.07': -0.07, '0.00': 0, '20000000000000.29': 20_000_000_000_000.29 };
  for (const [text, amount] of Object.entries(read))
    assert.equal(Number(shown(amount).replace('−', '-')), Number(text.replace('−', '-')), text);
});

describe('the export', () => {
  test('has the filtered list, one line for each payment, as a file', async () => {
    const fields = {
      reference: '=HYPERLINK("http://evil.example")',
      description: 'Mangues, "douces"',
      email: 'ama@shop.example',
      name: '@ama',
    };
    const id = await paid(api, { fields });
    await paid(api, { amount: 500 });
    const { status, headers, text } = await reader.get(`${base}/export?amount_min=1000`);
    assert.equal(status, 200);
    assert.equal(headers.get('content-type'), 'text/csv; charset=utf-8');
    assert.match(headers.get('content-disposition') ?? '', /^attachment; filename="payments-sandbox-\d{4}-\d\d-\d\d\.csv"$/);
    // fetch removes the mark of the encoding, which spreadsheets need.
    const [head, line, ...more] = text.replace('\uFEFF', '').split('\n');
    assert.equal(head, HEAD);
    assert.deepEqual(more, ['']);
    const { transaction } = (await api.call('GET', `/payments/${id}`)).body;
    const { created_at, completed_at, customer } = transaction;
    assert.equal(
      line,
      `${id},${created_at},${completed_at},succeeded,XAF,25000,500,merchant,25000,0,cm.mtn,,"'=HYPERLINK(""http://evil.example"")","Mangues, ""douces""",${customer},'@ama,+237650000000,ama@shop.example`,
    );
  });

  test('of a list of many pages has each payment once, the newest first', async () => {
    await insertMany(1_050);
    const before = pages;
    const { text } = await reader.get(`${base}/export?search=bulk-`);
    assert.equal(pages - before, 11);
    const ids = text
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.split(',')[0] ?? '');
    assert.equal(ids.length, 1_050);
    assert.deepEqual(ids, [...new Set(ids)].sort().reverse());
  });

  test('leads to the list when a filter is not valid, where the fault is shown', async () => {
    const { status, to } = await reader.get(`${base}/export?amount_min=many&status=succeeded`);
    assert.deepEqual([status, to], [303, `${base}?status=succeeded&amount_min=many`]);
  });

  test('stops reading when the browser leaves', async () => {
    await insertMany(12_000);
    const before = pages;
    const first = await firstBytes(`${base}/export?search=bulk-`);
    assert.deepEqual([...first.subarray(0, 3)], [0xef, 0xbb, 0xbf], 'spreadsheets need the mark of the encoding');
    await quiet();
    assert.ok(pages - before < 100, `${pages - before} pages of 130 were read`);
  });

  test('has at most two downloads under way for one person, and one more as soon as one has ended', async () => {
    const path = `${base}/export?search=bulk-`;
    const [first, second] = [await held(path), await held(path)];
    const refused = await reader.get(path);
    assert.equal(refused.status, 429);
    assert.match(refused.text, /2 downloads are under way/);
    const other = await signedIn(api, 'support');
    assert.equal((await other.get(`${base}/export?search=bulk-0`)).status, 200, 'the limit is for each person');
    first.destroy();
    const again = await until(
      () => reader.get(`${base}/export?search=nothing`),
      ({ status }) => status === 200,
    );
    assert.equal(again.status, 200);
    second.destroy();
    await quiet();
  });

  test('ends early, and never as a whole file, for whoever is signed out or leaves the team meanwhile', async () => {
    const ends = [
      (id: string) => sql`update console_sessions set revoked_at = now() where user_id = ${id}`,
      (id: string) => sql`delete from memberships where user_id = ${id}`,
      (id: string) => sql`update users set disabled_at = now() where id = ${id}`,
    ];
    for (const end of ends) {
      const leaver = await signedIn(api, 'support');
      whilePages.push(() => api.control.run(end(leaver.id)));
      assert.deepEqual(await read(leaver, `${base}/export?search=bulk-`), { status: 200, whole: false });
    }
    const stayer = await signedIn(api, 'support');
    assert.deepEqual(await read(stayer, `${base}/export?search=bulk-`), { status: 200, whole: true });
  });

  test('is not read for a request of its head', async () => {
    const before = pages;
    const headers = { cookie: cookies() };
    const { status } = await fetch(new URL(`${base}/export?search=bulk-`, api.url), { method: 'HEAD', headers });
    await quiet();
    assert.deepEqual([status, pages - before], [200, 0]);
  });
});

/** Waits until no page is read for a while: long enough for a page on a busy machine. */
async function quiet(): Promise<void> {
  let [seen, looks] = [-1, 0];
  await until(
    async () => {
      looks = pages === seen ? looks + 1 : 0;
      seen = pages;
      return looks;
    },
    (count) => count >= 40,
  );
}

/** Reads a file. @returns whether it came to its end */
function read(person: Person, path: string) {
  return new Promise<{ status: number | undefined; whole: boolean }>((resolve, reject) => {
    const request = http.get(new URL(path, api.url), { headers: { cookie: cookies(person) } }, (response) => {
      const ended = (whole: boolean) => resolve({ status: response.statusCode, whole });
      response
        .once('end', () => ended(true))
        .once('error', () => ended(false))
        .resume();
    });
    request.on('error', reject);
  });
}

function cookies(person = reader): string {
  return [...person.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
}

/** Opens a file and reads none of it. */
function held(path: string): Promise<http.ClientRequest> {
  return new Promise((resolve, reject) => {
    const request = http.get(new URL(path, api.url), { headers: { cookie: cookies() } }, () => resolve(request));
    request.on('error', reject);
  });
}

/** Opens a file, reads its first bytes and leaves. */
function firstBytes(path: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const request = http.get(new URL(path, api.url), { headers: { cookie: cookies() } }, (response) => {
      response.once('data', (bytes: Buffer) => {
        request.destroy();
        resolve(bytes);
      });
    });
    request.on('error', reject);
  });
}

/** Inserts copies of the newest payment. */
async function insertMany(count: number): Promise<void> {
  const db = api.deps.stores.sandbox.of(api.team.id).db;
  const [columns] = await db.all<{ names: string }>({
    text: `select string_agg(quote_ident(attname), ', ') as names from pg_attribute where attrelid = 'payments'::regclass and attnum > 0
      and not attisdropped and attgenerated = '' and attname not in ('id', 'reference')`,
    values: [],
  });
  await db.run({
    text: `insert into payments (id, reference, ${columns?.names})
      select left(id, 19) || lpad(((random() * 1e15)::bigint + n)::text, 16, '0'), 'bulk-' || n, ${columns?.names}
      from (select * from payments order by id desc limit 1) one, generate_series(1, $1::int) n`,
    values: [count],
  });
}
