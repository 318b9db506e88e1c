import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Network } from './network.ts';
import type { LogicalNode } from './node.ts';
import { randomFrom } from './random.ts';
import { Scheduler } from './scheduler.ts';

test('a request is lost when its node dies before it receives it', async () => {
  const scheduler = new Scheduler(randomFrom('schedule'), 0, false);
  const death = Promise.withResolvers<void>();
  const node = { name: 'n1', alive: true, paused_until: 0, death: death.promise };
  const network = new Network(scheduler, randomFrom('network'), { request: 0, answer: 0 }, () => [
    node as unknown as LogicalNode,
  ]);
  let answer: unknown = null;
  void network.call({ method: 'GET', path: '/', key: 'sk' }).then((outcome) => {
    answer = outcome;
  });
  // The node is paused, so the request waits for it when it dies.
  scheduler.at(100, null, () => {
    node.alive = false;
    scheduler.forget(node);
    death.resolve();
  });
  node.paused_until = 1_000;
  await scheduler.run(() => answer !== null, null);
  assert.equal(answer, 'lost');
});
