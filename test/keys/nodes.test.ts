import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from '../../src/kit/sql.ts';
import { untilChangeIsKnown } from '../../src/tenants/keys/service.ts';
import { startNodes } from '../rate-limits/nodes.ts';
import { startApi, until } from '../setup/api.ts';

const api = await startApi({ workers: false });
const nodes = await startNodes(api, 3, { RATE_LIMITS: 'off' });
after(async () => {
  await Promise.all(nodes.map((node) => node.stop()));
  await api.stop();
});

const ENDS: [what: string, end: (id: string) => Promise<unknown>][] = [
  ['revoked', (id) => api.control.run(sql`update api_keys set revoked_at = now() where id = ${id}`)],
  ['deactivated', (id) => api.control.run(sql`update api_keys set active = false where id = ${id}`)],
  ['given an end that has come', (id) => api.control.run(sql`update api_keys set expires_at = now() where id = ${id}`)],
  ['bound to another address', (id) => api.control.run(sql`update api_keys set allowed_ips = '{192.0.2.1}' where id = ${id}`)],
];

for (const [what, end] of ENDS) {
  test(`no node accepts a key that was ${what} once the change is acknowledged, under load too`, async () => {
    const { id, key } = await api.newKey(api.team, 'sandbox', 'secret');
    let busy = true;
    const accepted_at = nodes.map(() => 0);
    const asking = nodes.map(async (node, index) => {
      while (busy) {
        const asked_at = performance.now();
        if ((await node.call('GET', '/channels', key)).status === 200) accepted_at[index] = asked_at;
        await sleep(5);
      }
    });
    await until(
      async () => accepted_at,
      (moments) => moments.every((moment) => moment > 0),
    );
    await end(id);
    await untilChangeIsKnown();
    const known_at = performance.now();
    const answers = await Promise.all(nodes.map((node) => node.call('GET', '/channels', key)));
    busy = false;
    assert.ok(answers.every(({ status }) => [401, 403].includes(status)));
    await Promise.all(asking);
    assert.ok(accepted_at.every((moment) => moment < known_at));
  });
}
