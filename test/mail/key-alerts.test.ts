import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { systemClock } from '../../src/kit/clock.ts';
import { createLog } from '../../src/kit/log.ts';
import { type Db, sql } from '../../src/kit/sql.ts';
import { KeyAlerts } from '../../src/tenants/outbox/key-alerts.ts';
import { mailSweep } from '../../src/edge/mail/sweeps.ts';
import type { OutgoingMail } from '../../src/edge/mail/outgoing.ts';
import { FakeClock, startApi, until } from '../setup/api.ts';

const api = await startApi({ workers: false });
after(() => api.stop());
const { stores } = api.deps;
const log = createLog({ level: 'silent', format: 'json' });
const PAGE = { origin: 'https://shop.example' };

const mailsAbout = (key_id: string, db: Db = stores.sandbox.db) =>
  db.all<{ id: string }>(sql`select id from mails where facts->>'key_id' = ${key_id}`);
const settled = () => new Promise((resolve) => setTimeout(resolve, 200));

test('403 with Origin: one mail, in the store of the key, with only its id and last 4 digits', async () => {
  const { id, key } = await api.newKey(api.team, 'live', 'secret');
  for (let i = 0; i < 5; i++) assert.equal((await api.call('GET', '/payments', { key, headers: PAGE })).status, 403);
  await until(
    () => mailsAbout(id, stores.live.db),
    (rows) => rows.length === 1,
  );
  await settled();
  assert.equal((await mailsAbout(id, stores.live.db)).length, 1);
  assert.equal((await mailsAbout(id)).length, 0);
  const sent: OutgoingMail[] = [];
  const mailer = { send: async (mail: OutgoingMail) => ({ kind: 'sent' as const, _: sent.push(mail) }) };
  await mailSweep(api.deps, stores.live, mailer).round();
  const [mail] = sent;
  assert.deepEqual([sent.length, mail?.to], [1, api.team.email]);
  for (const part of [id, key.slice(-4), 'live', 'Bonjour', 'Hello']) assert.ok(mail?.text.includes(part), part);
  const random = key.slice(key.indexOf('.') + 1);
  for (let at = 0; at + 5 <= random.length; at++) {
    assert.ok(!JSON.stringify(mail).includes(random.slice(at, at + 5)), 'a piece of the key');
  }
});

test('a public and a restricted key with Origin: no mail', async () => {
  for (const kind of ['public', 'restricted'] as const) {
    const { id, key } = await api.newKey(api.team, 'sandbox', kind, { scopes: ['payment.read'] });
    assert.equal((await api.call('GET', '/payments', { key, headers: PAGE })).status, 200);
    await settled();
    assert.equal((await mailsAbout(id)).length, 0);
  }
});

const alerted = (id: string) => ({ id, last4: 'wxyz', team_id: api.team.id, environment: 'sandbox' as const });

test('concurrent nodes write one mail', async () => {
  const nodes = Array.from({ length: 20 }, () => new KeyAlerts({ stores, clock: systemClock, log }));
  for (const node of nodes) node.raise(alerted('key_race'));
  await settled();
  await until(
    () => mailsAbout('key_race'),
    (rows) => rows.length === 1,
  );
});

test('at most one mail an hour, whichever node asks', async () => {
  const clock = new FakeClock();
  // What the nodes have begun to write: a busy machine takes longer than any pause.
  const writes: Promise<unknown>[] = [];
  const sandbox = {
    of: (team_id: bigint) => {
      const { environment, db } = stores.sandbox.of(team_id);
      const run: Db['run'] = (statement) => {
        const write = db.run(statement);
        writes.push(write);
        return write;
      };
      return { environment, db: { ...db, run } };
    },
  };
  const another = () => new KeyAlerts({ stores: { ...stores, sandbox }, clock, log });
  const node = another();
  const raise = async (on = node) => {
    on.raise(alerted('key_hour'));
    await Promise.all(writes.splice(0));
    return (await mailsAbout('key_hour')).length;
  };
  assert.equal(await raise(), 1);
  const passes = async (minutes: number) => {
    clock.advance(minutes * 60_000);
    await stores.sandbox.db.run(sql`update mail_turns set taken_at = taken_at - ${minutes}::integer * interval '1 minute'`);
  };
  await passes(59);
  assert.equal(await raise(), 1);
  assert.equal(await raise(another()), 1);
  await passes(1);
  assert.equal(await raise(), 2);
  assert.equal(await raise(another()), 2);
});

test('another key gets a mail of its own', async () => {
  const node = new KeyAlerts({ stores, clock: systemClock, log });
  for (const id of ['key_one', 'key_two']) node.raise(alerted(id));
  await until(
    async () => [(await mailsAbout('key_one')).length, (await mailsAbout('key_two')).length],
    (counts) => counts.every((count) => count === 1),
  );
});

test('a database that hangs or fails does not affect the caller, and the next request retries', async () => {
  let failures = 0;
  const failing = { run: () => Promise.reject(new Error(`down ${++failures}`)) } as unknown as Db;
  const hanging = { run: () => new Promise(() => {}) } as unknown as Db;
  const node = new KeyAlerts({
    stores: {
      sandbox: { of: () => ({ environment: 'sandbox', db: failing }) },
      live: { of: () => ({ environment: 'live', db: hanging }) },
    },
    clock: systemClock,
    log,
  });
  node.raise({ ...alerted('key_down'), environment: 'live' });
  node.raise(alerted('key_down2'));
  await settled();
  node.raise(alerted('key_down2'));
  await settled();
  assert.equal(failures, 2);
});
