import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { type Api, FakeClock, startApi } from '../setup/api.ts';
import { approvalPath, openShop, press, type Shop } from './approvals.ts';
import { signedIn } from './people.ts';

const clock = new FakeClock();
let api: Api;
let shop: Shop;
before(async () => {
  api = await startApi({ clock });
  shop = await openShop(api);
});
after(() => api.stop());

const keys = () =>
  api.control.all<{ id: string; expires_at: Date | null }>(sql`
    select id, expires_at from api_keys where team_id = ${shop.team.id} order by id`);

test('a key whose last day is over when it is to be made is not made, and the one that it replaces does not end', async () => {
  const second = await signedIn(api, 'owner', shop.team, 'Sana Second');
  const path = `${shop.base}/developers/keys`;
  const { id } = await api.newKey(shop.team, 'sandbox', 'secret');
  const before = await keys();
  const today = new Date(clock.now()).toISOString().slice(0, 10);
  const roll = `${path}/${id}/roll`;
  const asked = [
    approvalPath(await shop.owner.submit(roll, roll, { overlap: '1h', expires: today })),
    approvalPath(await shop.owner.submit(`${path}/new`, path, { kind: 'secret', expires: today })),
  ];
  for (const one of asked) assert.equal((await press(second, one, 'approve')).status, 303);
  clock.advance(25 * 3_600_000);
  const { owner } = shop;
  // The owner has just presented a factor once more.
  await api.control.run(sql`update console_sessions set proved_at = ${new Date(clock.now())} where user_id = ${owner.id}`);
  for (const one of asked) {
    const { status, text } = await press(owner, one, 'key');
    assert.equal(status, 409, text);
    assert.match(text, /already have expired/);
  }
  assert.deepEqual(await keys(), before);
});
