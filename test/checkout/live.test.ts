import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Live } from '../../src/edge/checkout/live.ts';
import { openHosted } from '../../src/core/charge/hosted.ts';
import { type Api, FakeClock, startApi, until } from '../setup/api.ts';
import { Registry, type TestProvider } from '../setup/providers.ts';
import { newPayment, Payer } from './payer.ts';

/** Waits until the test lets go. */
let released = false;
const provider: TestProvider = {
  name: 'patient',
  collects: () => true,
  submit: async () => ({ kind: 'accepted', provider_ref: 'p', next: { kind: 'confirm' }, poll_after_ms: 100 }),
  read: async ({ amount_minor, currency }) =>
    released ? { kind: 'succeeded', provider_ref: 'p', amount_minor, currency } : { kind: 'pending', poll_after_ms: 100 },
};
const CHARGE = { channel: 'cm.mtn', data: { phone: '650000000' } };

const clock = new FakeClock();
let api: Api;
before(async () => {
  api = await startApi({ clock, providers: new Registry({ sandbox: [provider], live: [] }) });
});
after(() => api.stop());

/** What a browser has been told so far. */
async function listen(url: string) {
  const stopped = new AbortController();
  const response = await fetch(`${url}/events`, { signal: stopped.signal });
  const stream = { status: response.status, headers: response.headers, text: '', ended: false, stop: () => stopped.abort() };
  const read = async () => {
    for await (const chunk of response.body as ReadableStream<Uint8Array>) stream.text += Buffer.from(chunk).toString();
  };
  void read()
    .catch(() => null)
    .then(() => {
      stream.ended = true;
    });
  return stream;
}

const eventsIn = (text: string) => [...text.matchAll(/^data: (.*)$/gm)].map(([, json]) => JSON.parse(json as string));

test('200 sends the current status at once, then each change, and closes after the last', async () => {
  released = false;
  const { url } = await newPayment(api);
  const stream = await listen(url);
  assert.deepEqual([stream.status, stream.headers.get('content-type')], [200, 'text/event-stream']);
  assert.equal(stream.headers.get('cache-control'), 'no-store');
  await until(
    async () => stream.text,
    (text) => text.endsWith('\n\n'),
  );
  assert.match(stream.text, /^retry: \d+\n/);
  await new Payer(url).json(CHARGE);
  await until(
    async () => eventsIn(stream.text).at(-1)?.step,
    (step) => step === 'confirm',
  );
  released = true;
  clock.advance(1_000);
  await until(async () => stream.ended, Boolean);
  // On a busy machine the status is also read between the start of the charge and the answer of the provider.
  const told = eventsIn(stream.text).filter(({ step }) => step !== 'checked');
  assert.deepEqual(told, [
    { status: 'pending', step: 'none', attempt: 0 },
    { status: 'processing', step: 'confirm', attempt: 1 },
    { status: 'succeeded', step: 'none', attempt: 1 },
  ]);
});

test('200 sends a heartbeat while nothing changes, and closes after five minutes', async () => {
  const { url } = await newPayment(api);
  const stream = await listen(url);
  await until(
    async () => eventsIn(stream.text).length,
    (count) => count === 1,
  );
  clock.advance(15_000);
  await until(
    async () => eventsIn(stream.text).length,
    (count) => count === 2,
  );
  assert.equal(stream.ended, false);
  clock.advance(300_000);
  await until(async () => stream.ended, Boolean);
});

test('200 closes at once for a payment that has ended', async () => {
  const { url, id } = await newPayment(api);
  await api.call('DELETE', `/payments/${id}`);
  const stream = await listen(url);
  await until(async () => stream.ended, Boolean);
  assert.deepEqual(eventsIn(stream.text), [{ status: 'cancelled', step: 'none', attempt: 0 }]);
});

test('404 for an unknown token', async () => {
  assert.equal((await new Payer(`${api.url}/pay/x`).get('/events')).status, 404);
});

test('429 for the fifth stream of one payment, whose page then polls; closing one makes room', async () => {
  const { url } = await newPayment(api);
  const streams = [];
  for (let i = 0; i < 4; i++) streams.push(await listen(url));
  const refused = await new Payer(url).get('/events');
  assert.equal(refused.status, 429);
  assert.equal((await new Payer(url).get('/status')).status, 200);
  streams[0]?.stop();
  const again = await until(
    () => listen(url),
    ({ status }) => status === 200,
  );
  for (const { stop } of [...streams, again]) stop();
});

/** The same payments seen from another process: nothing but the database is shared. */
function anotherProcess(watch: () => void): Live {
  const { stores } = api.deps;
  const { db } = stores.sandbox;
  const all: typeof db.all = (statement) => {
    watch();
    return db.all(statement);
  };
  return new Live({ ...api.deps, stores: { ...stores, sandbox: { ...stores.sandbox, db: { ...db, all } } } });
}

test('a page served by another process is updated too, and a hundred pages cost one query', async () => {
  released = false;
  let looks = 0;
  const live = anotherProcess(() => looks++);
  const payments = await Promise.all(Array.from({ length: 25 }, () => newPayment(api)));
  const texts: string[] = [];
  for (const { token } of payments) {
    const hosted = await openHosted(api.deps, token);
    assert.ok(hosted);
    for (let i = 0; i < 4; i++) {
      const at = texts.push('') - 1;
      live.follow(hosted, false)?.on('data', (chunk) => {
        texts[at] += String(chunk);
      });
    }
  }
  for (const { url } of payments) assert.equal((await new Payer(url).json(CHARGE)).status, 202);
  const before = looks;
  await until(
    async () => texts.filter((text) => text.includes('"processing"')).length,
    (count) => count === 100,
  );
  assert.ok(looks - before <= 4, `${looks - before} looks`);
  live.close();
});

test('a failed query closes no stream: the next one resumes the updates', async () => {
  let failures = 0;
  let broken = true;
  const live = anotherProcess(() => {
    if (!broken) return;
    failures++;
    throw new Error('no connection');
  });
  const { token, id } = await newPayment(api);
  const hosted = await openHosted(api.deps, token);
  assert.ok(hosted);
  let text = '';
  live.follow(hosted, false)?.on('data', (chunk) => {
    text += String(chunk);
  });
  await api.call('DELETE', `/payments/${id}`);
  await until(
    async () => failures,
    (count) => count >= 2,
  );
  assert.doesNotMatch(text, /cancelled/);
  broken = false;
  await until(
    async () => text,
    (seen) => seen.includes('cancelled'),
  );
});

test('a service that stops closes its streams at once', async () => {
  const stopping = await startApi({ workers: false });
  const stream = await listen((await newPayment(stopping)).url);
  assert.equal(stream.status, 200);
  await stopping.stop();
  // By itself it would end after five minutes.
  await until(async () => stream.ended, Boolean, 60_000);
});
