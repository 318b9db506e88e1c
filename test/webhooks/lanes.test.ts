import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { Secrets } from '../../src/kit/crypto.ts';
import { Lanes } from '../../src/money/webhooks/lanes.ts';
import { OpenedSecrets } from '../../src/money/webhooks/opened-secrets.ts';
import { secretPlace } from '../../src/money/webhooks/sign.ts';

/** An endpoint whose answers the test gives. */
class Endpoint {
  readonly started: number[] = [];
  readonly #answers: ((error?: Error) => void)[] = [];
  most = 0;
  #open = 0;

  send = (delivery: number): Promise<number> => {
    this.started.push(delivery);
    this.most = Math.max(this.most, ++this.#open);
    return new Promise((resolve, reject) => {
      this.#answers.push((error) => {
        this.#open--;
        if (error) reject(error);
        else resolve(delivery);
      });
    });
  };

  async answer(error?: Error): Promise<void> {
    this.#answers.shift()?.(error);
    await new Promise((done) => setImmediate(done));
  }
}

function world() {
  mock.timers.enable({ apis: ['setTimeout'] });
  let now = 0;
  const lanes = new Lanes(16, () => now);
  const pass = async (ms: number) => {
    for (let i = 0; i < ms; i++) {
      now++;
      mock.timers.tick(1);
    }
    await new Promise((done) => setImmediate(done));
  };
  return { lanes, pass };
}

test.afterEach(() => mock.timers.reset());

test('deliveries to a quick endpoint share two connections, and start in order', async () => {
  const { lanes } = world();
  const quick = new Endpoint();
  const all = Array.from({ length: 40 }, (_, i) => lanes.run('wh_quick', () => quick.send(i)));
  for (let i = 0; i < 40; i++) await quick.answer();
  assert.deepEqual(await Promise.all(all), quick.started);
  assert.deepEqual(
    quick.started,
    Array.from({ length: 40 }, (_, i) => i),
  );
  assert.equal(quick.most, 2);
});

test('a silent endpoint soon has all its deliveries in progress, and keeps none of another waiting', async () => {
  const { lanes, pass } = world();
  const [silent, other] = [new Endpoint(), new Endpoint()];
  for (let i = 0; i < 16; i++) void lanes.run('wh_silent', () => silent.send(i));
  void lanes.run('wh_other', () => other.send(0));
  assert.equal(other.most, 1);
  await pass(19);
  assert.equal(silent.most, 2);
  await pass(1);
  assert.equal(silent.most, 4);
  await pass(20);
  assert.equal(silent.most, 8);
  await pass(20);
  assert.equal(silent.most, 16);
});

test('lanes have at most sixteen deliveries in progress', async () => {
  const { lanes, pass } = world();
  const silent = new Endpoint();
  for (let i = 0; i < 64; i++) void lanes.run('wh_silent', () => silent.send(i));
  await pass(1_000);
  assert.equal(silent.most, 16);
});

test('a lane grows by what waits too long, not by what comes later', async () => {
  const { lanes, pass } = world();
  const slow = new Endpoint();
  const add = (i: number) => void lanes.run('wh_slow', () => slow.send(i));
  [0, 1, 2].forEach(add);
  await pass(15);
  await slow.answer();
  add(3);
  assert.deepEqual(slow.started, [0, 1, 2], 'one was answered before it was late, another came');
  await pass(19);
  assert.deepEqual(slow.started, [0, 1, 2]);
  await pass(1);
  assert.deepEqual(slow.started, [0, 1, 2, 3]);
});

test('a delivery that fails frees its place', async () => {
  const { lanes } = world();
  const failing = new Endpoint();
  const all = [0, 1, 2].map((i) => lanes.run('wh_failing', () => failing.send(i)));
  const results = Promise.allSettled(all);
  for (let i = 0; i < 3; i++) await failing.answer(new Error('refused'));
  assert.deepEqual(
    (await results).map(({ status }) => status),
    ['rejected', 'rejected', 'rejected'],
  );
});

test('a lane keeps its width while its connections are open, and then begins anew', async () => {
  const { lanes, pass } = world();
  const busy = new Endpoint();
  const burst = (from: number) => Array.from({ length: 8 }, (_, i) => lanes.run('wh_busy', () => busy.send(from + i)));
  const answerAll = async () => {
    for (let i = 0; i < 8; i++) await busy.answer();
  };
  burst(0);
  await pass(40);
  assert.equal(busy.most, 8);
  await answerAll();
  await pass(3_000);
  burst(8);
  assert.equal(busy.started.length, 16, 'all at once');
  await answerAll();
  await pass(4_000);
  burst(16);
  assert.equal(busy.started.length, 18);
});

test('lanes of endpoints without deliveries are dropped when they are many', async () => {
  const { lanes } = world();
  for (let i = 0; i < 3_000; i++) await lanes.run(`wh_${i}`, async () => {});
  assert.ok(lanes.size <= 1_000);
});

test('a secret is decrypted once, and a rotated or foreign one never comes from memory', () => {
  const secrets = new Secrets(Buffer.alloc(32, 1));
  let opened = 0;
  const open = (sealed: string, place: string) => {
    opened++;
    return secrets.open(sealed, place);
  };
  const kept = new OpenedSecrets({ open });
  const place = secretPlace(1n, 'wh_a');
  const first = secrets.seal('whsec_first', place);
  assert.deepEqual([kept.open(first, place), kept.open(first, place), opened], ['whsec_first', 'whsec_first', 1]);
  assert.equal(kept.open(secrets.seal('whsec_second', place), place), 'whsec_second');
  assert.throws(() => kept.open(first, secretPlace(2n, 'wh_a')));
  for (let i = 0; i < 2_000; i++) kept.open(secrets.seal(`whsec_${i}`, place), place);
  assert.equal(kept.open(first, place), 'whsec_first');
});
