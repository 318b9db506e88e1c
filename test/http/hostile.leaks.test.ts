import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { symbols } from 'pino';
import { createLog } from '../../src/kit/log.ts';
import { dumpDatabase, startApi, until } from '../setup/api.ts';

/** The service's own logger, its lines kept in memory instead of printed. */
const log = createLog({ level: 'debug', format: 'json' });
let lines = '';
Object.assign(log, { [symbols.streamSym]: { write: (line: string) => (lines += line) } });

const api = await startApi({ log });
after(() => api.stop());

const CARD = '4556737586899855';
const PIN = '7351946280';
const grouped = (mark: string) => CARD.replace(/(\d{4})(?=\d)/g, `$1${mark}`);
const { secret, public: publicKey } = api.keys.sandbox;
const { id: key_id, key: restricted } = await api.newKey(api.team, 'sandbox', 'restricted', {
  scopes: ['payment.read'],
});
const ORDER = {
  amount: 1000,
  currency: 'XAF',
  phone: '+237650000000',
  email: 'awa.canary@shop.example',
  name: 'Awa Canary',
};
const answers: string[] = [];

async function call(...parameters: Parameters<typeof api.call>) {
  const answer = await api.call(...parameters);
  answers.push(`${JSON.stringify(answer.body)}\n${JSON.stringify([...answer.headers])}`);
  return answer;
}

const { body: made } = await call('POST', '/payments', { body: ORDER });
const { id } = made.transaction;
const { body: endpoint } = await api.call('POST', '/webhooks', {
  body: { url: 'https://hooks.shop.example/in' },
});
const webhookSecret: string = endpoint.webhook?.secret ?? endpoint.secret;

/** Cards, codes and keys in every place a request has. */
const ATTEMPTS: Parameters<typeof api.call>[] = [
  ['POST', '/payments', { body: { ...ORDER, description: CARD } }],
  ['POST', '/payments', { body: { ...ORDER, description: grouped(' ') } }],
  ['POST', '/payments', { body: { ...ORDER, metadata: { [CARD]: 1, n: Number(CARD), deep: [{ x: grouped('-') }] } } }],
  ['POST', '/payments', { body: { ...ORDER, amount: 0, metadata: { cvv: PIN } } }],
  ['POST', '/payments', { raw: `{"description":"${CARD}"` }],
  ['POST', '/payments', { raw: `number=${CARD}&cvc=${PIN}` }],
  ['POST', '/payments', { body: [CARD] }],
  ['POST', '/payments', { body: ORDER, headers: { 'idempotency-key': CARD } }],
  ['POST', '/payments', { body: ORDER, headers: { 'idempotency-key': grouped('-') } }],
  ['POST', '/payments', { body: ORDER, headers: { 'x-request-id': CARD } }],
  ['POST', '/payments', { body: ORDER, headers: { 'x-request-id': grouped('-') } }],
  ['POST', '/payments', { body: ORDER, headers: { 'x-request-id': secret } }],
  ['POST', '/payments', { body: ORDER, headers: { 'x-sync': CARD, 'user-agent': CARD, cookie: CARD } }],
  ['POST', `/payments/${id}`, { body: { channel: 'cm.card', data: { number: CARD, cvc: PIN, pin: PIN } } }],
  ['POST', `/payments/${id}`, { body: { channel: CARD } }],
  ['GET', `/payments?search=${CARD}&card=${CARD}&key=${secret}`],
  ['GET', `/payments?cursor=${CARD}`],
  ['GET', `/payments?status=${CARD}&date_from=${CARD}&per_page=${CARD}`],
  ['GET', `/payments/${CARD}`],
  ['GET', `/payments/${grouped('-')}`],
  ['GET', `/payments/${secret}`],
  ['GET', `/${CARD}/${secret}`],
  ['GET', `/pay/${CARD}`, { key: null }],
  ['GET', '/payments', { key: CARD }],
  ['GET', '/payments', { key: `Bearer ${secret}` }],
  ['GET', '/payments', { key: `${secret}x` }],
  ['GET', '/payments', { key: publicKey }],
  ['GET', '/payments', { headers: { origin: `https://${CARD}.example`, referer: `https://x.example/${CARD}` } }],
  ['GET', '/payments', { headers: { 'x-service-version': CARD } }],
  ['GET', '/payments', { key: restricted }],
  ['DELETE', `/payments/${id}`, { key: restricted }],
  ['PUT', `/payments/${CARD}`, { raw: CARD }],
];

test('cards, codes and keys anywhere in a request never cause a 5xx', async () => {
  for (const parameters of ATTEMPTS) {
    const { status } = await call(...parameters);
    assert.ok(status < 500, `${status} ${parameters[0]} ${parameters[1]}`);
  }
  await call('POST', `/payments/${id}`, { body: { channel: 'cm.mtn', data: { phone: '650000000' } } });
  await until(
    () => api.call('GET', `/payments/${id}`),
    ({ body }) => body.transaction.status === 'succeeded',
  );
});

/** What must be nowhere, and what it is. Keys without their prefix, which may be told. */
const CANARIES: [what: string, text: string][] = [
  ['the card number', CARD],
  ['the card number with spaces', grouped(' ')],
  ['the card number with dashes', grouped('-')],
  ['the PIN and security code', PIN],
  ['the secret key', secret.slice('sk_test.'.length)],
  ['the public key', publicKey.slice('pk_test.'.length)],
  ['the restricted key', restricted.slice('rk_test.'.length)],
  ['the webhook secret', String(webhookSecret).slice('whsec_'.length)],
];

test('they are stored in no database', async () => {
  assert.match(webhookSecret, /^whsec_\w{20}/);
  const { stores } = api.deps;
  for (const [name, db] of Object.entries({
    control: api.control,
    sandbox: stores.sandbox.db,
    live: stores.live.db,
  })) {
    const dump = await dumpDatabase(db);
    for (const [what, text] of CANARIES) assert.ok(!dump.includes(text), `${what} is in ${name}`);
  }
});

test('they are in no log line, nor is any payer data; every request is logged', async () => {
  for (const [what, text] of CANARIES) {
    const at = lines.indexOf(text);
    assert.equal(at, -1, `${what} is in the log: ${lines.slice(Math.max(0, at - 200), at + 60)}`);
  }
  for (const payer of ['awa.canary', 'Awa Canary', '650000000']) assert.ok(!lines.includes(payer), `${payer} is in the log`);
  const requests = lines
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ msg }) => msg === 'request');
  assert.ok(requests.length >= ATTEMPTS.length);
  for (const { method, path, status, ms, request_id, trace_id } of requests) {
    assert.ok(method && path && status && ms >= 0 && request_id && trace_id);
    assert.ok(!path.includes('?'), 'the query is not logged: it may hold what a person searched for');
  }
  assert.ok(
    requests.some((line) => line.key_id === key_id),
    'the line names the key by its id',
  );
});

test('they are in no response', () => {
  for (const answer of answers) {
    for (const [what, text] of CANARIES) assert.ok(!answer.includes(text), `${what} is in ${answer.slice(0, 300)}`);
  }
});

test('a card number in a path is in no log line, in any encoding', async () => {
  const from = lines.length;
  for (const mark of ['%20', '_', '%2F', '.', '%2D']) await call('GET', `/payments/${grouped(mark)}`);
  const logged = decodeURIComponent(lines.slice(from)).replace(/[ _/.-]/g, '');
  assert.ok(!logged.includes(CARD), logged);
});

test('an internal error exposes nothing to the caller and no data to the log', async () => {
  const broken = await api.newMerchant();
  const store = api.deps.stores.sandbox;
  const from = lines.length;
  const { of } = store;
  const all = async () =>
    Promise.reject(Object.assign(new Error(`Key (phone)=(${CARD}) for ${secret}`), { detail: CARD, parameters: [CARD] }));
  Object.assign(store, { of: (team_id: bigint) => ({ ...of(team_id), db: { ...of(team_id).db, all } }) });
  const answer = await api.call('GET', '/payments', { key: broken.sandbox.secret });
  Object.assign(store, { of });
  assert.deepEqual([answer.status, answer.body.code, answer.body.status], [500, 500, 'Internal Server Error']);
  assert.doesNotMatch(JSON.stringify(answer.body), /Key|phone|at /);
  const logged = lines.slice(from);
  assert.match(logged, /a request failed/);
  assert.ok(!logged.includes(CARD) && !logged.includes(secret.slice(8)));
  assert.ok(logged.includes(answer.headers.get('x-request-id') ?? '-'));
});
