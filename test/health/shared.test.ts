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
      other.health.learn({ node: this.#name, topic: 'provider', key: change.key, body, reported_at });
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
    b.health.learn({ node: 'a', topic: 'provider', key: old?.key ?? '', body: old?.body ?? {}, reported_at: new Date() });
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

  test('a report that could not be stored is made again', async () => {
    await a.submit(5, unknown);
    a.health.undo(a.health.changes());
    a.tell(b);
    assert.equal(b.gate, 'open');
    clock.advance(60_000);
    assert.deepEqual(a.health.changes(), [], 'nothing has changed since');
  });
});
