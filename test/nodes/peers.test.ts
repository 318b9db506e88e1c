import assert from 'node:assert/strict';
import { beforeEach, mock, test } from 'node:test';
import { type NodeState, Peers } from '../../src/platform/nodes/peers.ts';

const SECOND = 1_000;
let now_ms = 0;
mock.method(performance, 'now', () => now_ms);
let peers: Peers;
let reports = 0;
beforeEach(() => {
  now_ms = 1_000_000;
  peers = new Peers(() => ({ reaches: [], skew_ms: 0 }));
});

const tell = (node: string, state: Partial<NodeState>, reported_at = new Date(++reports)) =>
  peers.learn({ node, topic: 'node', key: '', reported_at, body: { reaches: ['live'], skew_ms: 0, ...state } });

test('a database is cut off only when another node reached it after this one no longer did', () => {
  const reached_at = now_ms;
  assert.equal(peers.reach('live', reached_at), false);
  // Made before or while it was lost: at a failure of the database every node has such reports.
  now_ms += 2 * SECOND;
  tell('b', {});
  assert.equal(peers.reach('live', reached_at), false);
  now_ms += 6 * SECOND;
  tell('b', {});
  assert.equal(peers.reach('live', reached_at), true);
  assert.equal(peers.reach('sandbox', reached_at), false);
  tell('b', { reaches: [] });
  assert.equal(peers.reach('live', reached_at), false);
});

test('a report that is read again is not a new one, and a node that is silent for ten seconds says nothing', () => {
  const reported_at = new Date();
  tell('b', {}, reported_at);
  const reached_at = now_ms;
  now_ms += 8 * SECOND;
  tell('b', {}, reported_at);
  assert.equal(peers.reach('live', reached_at), false);
  tell('b', {});
  assert.equal(peers.reach('live', reached_at), true);
  now_ms += 11 * SECOND;
  assert.equal(peers.reach('live', reached_at), false);
});

test('a clock is wrong only when most other nodes agree with the database', () => {
  const minute = 60 * SECOND;
  assert.equal(peers.isWrong(minute), false);
  tell('b', { skew_ms: 500 });
  assert.deepEqual([peers.isWrong(minute), peers.isWrong(-minute), peers.isWrong(29 * SECOND)], [true, true, false]);
  tell('c', { skew_ms: minute });
  assert.equal(peers.isWrong(minute), false);
  tell('d', { skew_ms: -1_999 });
  assert.equal(peers.isWrong(minute), true);
});
