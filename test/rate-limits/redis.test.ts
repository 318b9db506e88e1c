import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { type Answer, type Api, startApi, until } from '../setup/api.ts';
import { type Node, startNodes } from './nodes.ts';
import { noRedis, RedisServer } from './redis-server.ts';

const OWN = 'this node: redis does not answer';
const LOST = /Redis does not answer/;
const BACK = /Redis answers/;
/** Long, where a busy machine must not be taken for a slow Redis. */
const PATIENT = { REDIS_TIMEOUT_MS: '10000' };

describe('several nodes and one Redis', { skip: noRedis() }, () => {
  let api: Api;
  let redis: RedisServer;
  let nodes: Node[] = [];

  const start = async (env: Record<string, string> = {}, count = 3) => {
    nodes = await startNodes(api, count, { REDIS_URL: redis.url, ...env });
  };
  const nodeOf = (index: number) => nodes[index % nodes.length] as Node;
  const all = (count: number, ask: (node: Node, index: number) => Promise<Answer>) =>
    Promise.all(Array.from({ length: count }, (_, index) => ask(nodeOf(index), index)));
  const with_ = (status: number, answers: Answer[]) => answers.filter((answer) => answer.status === status).length;
  const everywhere = (where: string) =>
    until(
      () => Promise.all(nodes.map((node) => node.counts())),
      (said) => said.every((one) => one === where),
    );

  before(async () => {
    api = await startApi({ workers: false });
  });
  after(() => api.stop());
  beforeEach(async () => {
    redis = await RedisServer.prepare();
    await redis.start();
  });
  afterEach(async () => {
    await Promise.all(nodes.map((node) => node.stop()));
    nodes = [];
    await redis.remove();
  });

  test('of 150 concurrent calls on three nodes exactly 30 pass for each merchant', async () => {
    await start({ ...PATIENT, TRUST_PROXY: '1' });
    assert.deepEqual(await Promise.all(nodes.map((node) => node.counts())), ['redis', 'redis', 'redis']);
    for (const { sandbox } of [await api.newMerchant(), await api.newMerchant()]) {
      const answers = await all(150, (node) => node.call('GET', '/payments', sandbox.secret));
      assert.deepEqual([with_(200, answers), with_(429, answers)], [30, 120]);
      assert.equal(answers.find(({ status }) => status === 429)?.body.type, 'endpoint');
    }
  });

  test('exactly 20 payout writes and exactly 30 calls without a key pass', async () => {
    await start(PATIENT);
    const { sandbox, live } = await api.newMerchant();
    const writes = await all(60, (node, index) => node.call('POST', '/transfers', index % 2 ? sandbox.secret : live.secret, {}));
    assert.deepEqual([with_(422, writes), with_(429, writes)], [20, 40]);
    assert.ok(writes.every(({ status, body }) => status === 422 || body.message === 'Merchant limit 20'));
    const strangers = await all(60, (node, index) => node.call('GET', '/payments', `sk_test.${index}`));
    assert.deepEqual([with_(401, strangers), with_(429, strangers)], [30, 30]);
  });

  test('all nodes share the team counter: 120 calls get 120 values of Remaining and one Reset', async () => {
    await start(PATIENT);
    const { sandbox, live } = await api.newMerchant();
    const keys = [sandbox.secret, live.secret, sandbox.public];
    const resets: { from_s: number; to_s: number }[] = [];
    const answers = await all(120, async (node, index) => {
      const since = performance.now();
      const answer = await node.call('GET', '/channels', keys[index % 3] as string);
      // A node adds what Redis says is left to its own time before it asked, and rounds up to a second.
      const reset_s = Number(answer.headers.get('x-ratelimit-reset'));
      resets.push({ from_s: reset_s - 1, to_s: reset_s + (performance.now() - since) / 1000 });
      return answer;
    });
    const remaining = answers.map(({ headers }) => Number(headers.get('x-ratelimit-remaining')));
    assert.deepEqual(
      remaining.sort((a, b) => a - b),
      Array.from({ length: 120 }, (_, index) => index),
    );
    const [latest, earliest] = [Math.max(...resets.map(({ from_s }) => from_s)), Math.min(...resets.map(({ to_s }) => to_s))];
    assert.ok(latest <= earliest, `one moment is in all: ${JSON.stringify(resets)}`);
  });

  test('the script is loaded again into a Redis that has lost it', async () => {
    await start(PATIENT);
    const { sandbox } = await api.newMerchant();
    const refunds = () => all(3, (node) => node.call('GET', '/refunds', sandbox.secret));
    await refunds();
    await redis.run('SCRIPT', 'FLUSH');
    assert.equal(with_(200, await refunds()), 3);
    assert.deepEqual(await Promise.all(nodes.map((node) => node.counts())), ['redis', 'redis', 'redis']);
    assert.equal(with_(200, [...(await refunds()), ...(await refunds())]), 4);
  });

  test('every counter in Redis expires, and none contains an API key', async () => {
    await start(PATIENT, 1);
    const { sandbox } = await api.newMerchant();
    await nodeOf(0).call('POST', '/transfers', sandbox.secret, {});
    await nodeOf(0).call('GET', '/transfers', 'sk_test.unknown');
    const names = (await redis.run('KEYS', '*')) as string[];
    assert.equal(names.length, 7);
    for (const name of names) {
      const left_ms = (await redis.run('PTTL', name)) as number;
      assert.ok(left_ms > 0 && left_ms <= 60_000, name);
      assert.doesNotMatch(name, /sk_test/);
    }
  });

  test('Redis is killed: limits still apply, no 5xx, one log line; Redis is used again once it is back', async () => {
    await start(PATIENT);
    await everywhere('redis');
    const { sandbox } = await api.newMerchant();
    const payments = (node: Node) => node.call('GET', '/payments', sandbox.secret);
    for (let index = 0; index < 21; index += 1) assert.equal((await payments(nodeOf(index))).status, 200);
    await redis.kill();
    const answers = await all(150, payments);
    assert.equal(with_(200, answers) + with_(429, answers), 150);
    // Each node goes on from what Redis had told it last: 19, 20 and 21 of 30.
    assert.ok(with_(200, answers) >= 9 && with_(200, answers) <= 30, String(with_(200, answers)));
    await everywhere(OWN);
    for (const node of nodes) {
      assert.equal((await node.call('GET', '/health/ready', null)).status, 200);
      assert.equal((await payments(node)).status, 429);
      assert.equal(node.log.filter((line) => LOST.test(line)).length, 1);
    }
    await redis.start();
    await everywhere('redis');
    for (const node of nodes) assert.equal(node.log.filter((line) => BACK.test(line)).length, 1);
    assert.equal(with_(200, await all(150, payments)), 30);
  });

  test('Redis is frozen: no request waits for it, limits still apply, no 5xx; Redis is used again once it responds', async () => {
    await start({ REDIS_TIMEOUT_MS: '250' });
    await everywhere('redis');
    redis.freeze();
    const { sandbox } = await api.newMerchant();
    const answers = await all(150, (node) => node.call('GET', '/payments', sandbox.secret));
    assert.deepEqual([with_(200, answers), with_(429, answers)], [90, 60]);
    await everywhere(OWN);
    for (const node of nodes) {
      // A busy machine may have been taken for a slow Redis before, until it answered.
      const before = node.log.filter((line) => BACK.test(line)).length;
      assert.equal(node.log.filter((line) => LOST.test(line)).length, before + 1);
    }
    redis.thaw();
    await everywhere('redis');
  });

  test('a Redis that became a read-only replica is not used until it accepts writes again', async () => {
    await start(PATIENT);
    await everywhere('redis');
    await redis.run('REPLICAOF', '127.0.0.1', '1');
    const { sandbox } = await api.newMerchant();
    assert.equal(with_(200, await all(9, (node) => node.call('GET', '/payments', sandbox.secret))), 9);
    await everywhere(OWN);
    await redis.run('REPLICAOF', 'NO', 'ONE');
    await everywhere('redis');
  });

  test('a node starts without Redis, logs it, and shares counters as soon as Redis is available', async () => {
    await redis.kill();
    await start({}, 1);
    assert.equal(await nodeOf(0).counts(), OWN);
    const { sandbox } = await api.newMerchant();
    assert.equal(with_(200, await all(40, (node) => node.call('GET', '/payments', sandbox.secret))), 30);
    await redis.start();
    await everywhere('redis');
  });
});
