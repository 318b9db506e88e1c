import assert from 'node:assert/strict';
import { beforeEach, mock, test } from 'node:test';
import { Peers } from '../../src/platform/nodes/peers.ts';

const SECOND = 1_000;
let now_ms = 0;
mock.method(performance, 'now', () => now_ms);
let peers: Peers;
beforeEach(() => {
  now_ms = 1_000_000;
  peers = new Peers(() => ({ reaches: [], skew_ms: 0 }));
});

const tell = (node: string, state: object, age_ms = 0) =>
  peers.learn({
    node,
    topic: 'node',
    key: '',
    reported_at: new Date(0),
    age_ms,
    body: { reaches: ['live'], skew_ms: 0, ...state },
  });

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
  tell('b', {});
  const reached_at = now_ms;
  now_ms += 8 * SECOND;
  tell('b', {}, 8 * SECOND);
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

test('a node that was killed proves nothing, however often its last report is read', () => {
  const reached_at = now_ms;
  now_ms += 60 * SECOND;
  tell('killed', {}, 20 * SECOND);
  assert.deepEqual([peers.reach('live', reached_at), peers.isWrong(60 * SECOND)], [false, false], 'read by a node that starts');
  tell('killed', {});
  assert.equal(peers.reach('live', reached_at), true, 'while it was running');
  for (let age_ms = 1; age_ms < 60 * SECOND; age_ms += SECOND) {
    now_ms += SECOND;
    peers.changes();
    tell('killed', {}, age_ms);
  }
  assert.deepEqual([peers.reach('live', reached_at), peers.isWrong(60 * SECOND)], [false, false]);
});

test('a node that was killed proves nothing after the clock of the database was set back', () => {
  const reached_at = now_ms;
  tell('killed', {});
  for (let age_ms = -60 * SECOND; age_ms < -30 * SECOND; age_ms += SECOND) {
    now_ms += SECOND;
    peers.changes();
    tell('killed', {}, age_ms);
  }
  assert.deepEqual([peers.reach('live', reached_at), peers.isWrong(60 * SECOND)], [false, false]);
  tell('running', {}, -20);
  assert.equal(peers.reach('live', reached_at), true, 'a report of the same moment');
});

test('a report that this release cannot read is ignored', () => {
  const reached_at = now_ms;
  now_ms += 10 * SECOND;
  tell('newer', { reaches: { live: true } });
  tell('newer', { skew_ms: 'none' });
  assert.deepEqual([peers.reach('live', reached_at), peers.isWrong(60 * SECOND)], [false, false]);
});
