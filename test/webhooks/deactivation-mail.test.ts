import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { HOST } from '../../src/money/webhooks/backlog-store.ts';
import type { OutgoingMail } from '../../src/edge/mail/outgoing.ts';
import { mailSweep } from '../../src/edge/mail/sweeps.ts';
import { FakeClock, until } from '../setup/api.ts';
import { Deliveries } from '../setup/deliveries.ts';

const hooks = new Deliveries();

test('the owner of a deactivated endpoint gets one mail, which contains its host and nothing else of its URL', async () => {
  const clock = new FakeClock();
  const endpoint = await hooks.register('/hook?token=secret-of-the-shop');
  hooks.receiver.behave(500);
  hooks.start({ config: { webhook_retry_schedule_ms: [] }, clock });
  const mails = () => hooks.store.db.all(sql`select 1 from mails where team_id = ${hooks.merchant.team.id}`);
  await hooks.announce();
  await hooks.recorded(endpoint, 1);
  assert.equal((await mails()).length, 0, 'one failure is no reason');
  clock.advance(5 * 86_400_000 + 60_000);
  await hooks.announce(3);
  await hooks.recorded(endpoint, 2);
  await until(mails, (rows) => rows.length > 0);
  const trail = await hooks.store.db.all(sql`
    select actor, actor_id from audit_entries where resource_id = ${endpoint.id} and action = 'webhook.deactivate'`);
  assert.deepEqual(trail, [{ actor: 'worker', actor_id: null }]);
  const sent: OutgoingMail[] = [];
  const mailer = { send: async (mail: OutgoingMail) => ({ kind: 'sent' as const, _: sent.push(mail) }) };
  await mailSweep(hooks.api.deps, hooks.store, mailer).round();
  const [mail] = sent;
  assert.deepEqual([sent.length, mail?.to], [1, hooks.merchant.team.email]);
  for (const part of [endpoint.id, new URL(endpoint.url).host, 'sandbox', 'Bonjour', 'Hello'])
    assert.ok(mail?.text.includes(part), part);
  assert.ok(!mail?.text.includes('secret-of-the-shop'));
});

test('the host that a mail names is that of the address, however it is written', async () => {
  const urls = [
    'https://shop.example/hooks/SECRET',
    'HTTPS://shop.example/hooks/SECRET',
    'https://shop.example\\hooks\\SECRET',
    'https:\\\\shop.example?SECRET',
    'https:shop.example#SECRET',
  ];
  for (const url of urls) assert.equal(new URL(url).host, 'shop.example');
  const rows = await hooks.store.db.all<{ host: string }>(sql`select ${HOST} as host from unnest(${urls}::text[]) url`);
  assert.deepEqual(new Set(rows.map(({ host }) => host)), new Set(['shop.example']));
});
