import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import type { Provider, Submission } from '../../src/providers/adapters/contract.ts';
import { Health } from '../../src/providers/routing/health.ts';
import { COLLECTION, providerOf, SUBMISSIONS, TestClock } from '../routing/support.ts';

const { accepted, unknown } = SUBMISSIONS;

/** Two nodes that measure the same account and read each other's reports. */
let clock: TestClock;
let a: Node;
let b: Node;
beforeEach(() => {
  clock = new TestClock();
  [a, b] = [new Node('a'), new Node('b')];
});

class Node {
  readonly health = new Health(clock);
  readonly #name: string;
  readonly #provider: Provider;
  #answer: Submission = accepted;

  constructor(name: string) {
    this.#name = name;
    this.#provider = this.health.observe(providerOf('pa_1', null, { submit: async () => this.#answer }));
  }

  async submit(count: number, answer: Submission): Promise<void> {
    this.#answer = answer;
    for (let i = 0; i < count; i++) await this.#provider.submit(COLLECTION);
  }

  tell(other: Node): void {
    const reported_at = new Date(clock.now());
    for (const change of this.health.changes()) {
      const body = JSON.parse(JSON.stringify(change.body)) as object;
      other.health.learn({ node: this.#name, topic: 'provider', key: change.key, body, reported_at, age_ms: 0 });
    }
  }

  get gate() {
    return this.health.look('pa_1', 'cm.mtn', 'collect')?.gate;
  }

  get note() {
    return this.health.look('pa_1', 'cm.mtn', 'collect')?.note;
  }
}

describe('the health of an account, measured by two nodes', () => {
  test('a circuit that one node opens is open on the other, and the probe is reserved on both', async () => {
    await a.submit(5, unknown);
    a.tell(b);
    assert.deepEqual([a.gate, b.gate, b.note?.standing], ['open', 'open', 'down']);
    clock.advance(15_000);
    assert.deepEqual([a.gate, b.gate], ['probe', 'probe']);
    b.health.chosen('pa_1', 'cm.mtn', 'collect');
    b.tell(a);
    assert.deepEqual([a.gate, b.gate], ['open', 'open']);
    await b.submit(1, accepted);
    b.tell(a);
    assert.deepEqual([a.gate, b.gate], ['closed', 'closed']);
  });

  test('of two states the later one applies: a report that was overtaken changes nothing', async () => {
    await a.submit(5, unknown);
    const [old] = a.health.changes();
    clock.advance(15_000);
    await a.submit(1, accepted);
    a.tell(b);
    b.health.learn({
      node: 'a',
      topic: 'provider',
      key: old?.key ?? '',
      body: old?.body ?? {},
      reported_at: new Date(),
      age_ms: 0,
    });
    assert.deepEqual([a.gate, b.gate], ['closed', 'closed']);
  });

  test('counts of both nodes make up the success rate, once, and those of a node that is gone end after ten minutes', async () => {
    await a.submit(6, accepted);
    await a.submit(3, unknown);
    await b.submit(1, accepted);
    a.tell(b);
    clock.advance(2_000);
    a.tell(b);
    assert.deepEqual([b.note?.calls, b.note?.failures, b.note?.standing], [10, 3, 'degraded']);
    clock.advance(600_001);
    assert.deepEqual([b.note?.calls, b.note?.failures], [0, 0]);
  });

  test('a circuit that opens among counts is reported once: the statement that stores reports takes each key once', async () => {
    await a.submit(5, unknown);
    assert.deepEqual(
      a.health.changes().map(({ key }) => key),
      ['pa_1 cm.mtn collect'],
    );
  });

  test('a report that could not be stored is made again', async () => {
    await a.submit(5, unknown);
    a.health.undo(a.health.changes());
    a.tell(b);
    assert.equal(b.gate, 'open');
    clock.advance(60_000);
    assert.deepEqual(a.health.changes(), [], 'nothing has changed since');
  });

  test('a node whose own way to a provider is broken does not open the circuit of one whose payments succeed', async () => {
    await b.submit(5, unknown);
    clock.advance(300);
    await a.submit(1, accepted);
    b.tell(a);
    assert.deepEqual([a.gate, b.gate], ['closed', 'open']);
    clock.advance(15_000);
    await b.submit(1, unknown);
    b.tell(a);
    assert.deepEqual([a.gate, b.gate], ['closed', 'open'], 'its failed probe changes nothing');
    await a.submit(5, unknown);
    assert.equal(a.gate, 'open', 'its own failures do');
  });

  test('an outage of an operator, which a node that reads sees, reaches one whose charges are accepted', async () => {
    for (let i = 0; i < 5; i++) {
      const failed = { kind: 'failed', reason: 'channel_unavailable', message: 'down' } as const;
      b.health.recordReading('pa_1', { channel: 'cm.mtn', id: `att_${i}`, submitted_at: new Date(clock.now()) }, failed);
    }
    clock.advance(300);
    await a.submit(3, accepted);
    b.tell(a);
    assert.deepEqual([a.gate, b.gate], ['open', 'open']);
  });

  test('a report that this release cannot read changes nothing, and payments go on', () => {
    const good = { calls: 1, failures: 0, succeeded: 1, unsuccessful: 0 };
    const circuit = { open_since: 'now', closed_at: null, wait_ms: 1, probe_at: 1, changed_at: 1 };
    for (const [key, body] of [
      ['pa_1 cm.mtn collect', {}],
      ['pa_1 cm.mtn collect', { counts: { ...good, failures: 'many' }, circuit: null }],
      ['pa_1 cm.mtn collect', { counts: good, circuit }],
      ['pa_1 cm.mtn gift', { counts: good, circuit: null }],
      ['', { counts: good, circuit: null }],
    ] as const) {
      a.health.learn({ node: 'b', topic: 'provider', key, body, reported_at: new Date(), age_ms: 0 });
    }
    assert.deepEqual([a.note?.calls ?? 0, a.gate ?? 'closed'], [0, 'closed']);
    assert.deepEqual(
      a.health.snapshot().filter(({ operation }) => operation !== 'collect'),
      [],
    );
  });

  test('a time far ahead in a report keeps no account closed', async () => {
    const circuit = { open_since: 9e12, closed_at: null, wait_ms: 1e9, probe_at: 9e12, changed_at: clock.now() + 1 };
    const body = { counts: { calls: 5, failures: 5, succeeded: 0, unsuccessful: 0 }, circuit };
    a.health.learn({ node: 'b', topic: 'provider', key: 'pa_1 cm.mtn collect', body, reported_at: new Date(), age_ms: 0 });
    assert.equal(a.gate, 'open');
    clock.advance(60_000);
    assert.equal(a.gate, 'probe');
    await a.submit(1, accepted);
    assert.equal(a.gate, 'closed');
  });
});
