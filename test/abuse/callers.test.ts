import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { LIMITS } from '../../src/core/abuse/rules.ts';
import { sql } from '../../src/kit/sql.ts';
import type { Answer, Merchant } from '../setup/api.ts';
import { AbuseFixture } from './fixture.ts';

const { payer, team } = LIMITS;

let fixture: AbuseFixture;
before(async () => {
  fixture = await AbuseFixture.open();
});
after(() => fixture.api.stop());

/** Charges a new payment with the key that is visible in the source of the merchant's pages. */
async function payAsAnybody(merchant: Merchant, phone: string): Promise<Answer> {
  const { id } = await fixture.payment(merchant);
  const body = { channel: 'cm.mtn', data: { phone } };
  return fixture.api.call('POST', `/payments/${id}`, { key: merchant.live.public, body });
}

test('charges by a public key count against each other, not against those of the merchant’s server', async () => {
  const merchant = await fixture.merchant();
  const phone = fixture.number();
  for (let i = 0; i < payer.max; i++) assert.equal((await payAsAnybody(merchant, phone)).status, 202);
  const { status, body } = await payAsAnybody(merchant, phone);
  assert.deepEqual([status, body.error_code], [402, 'fraud_blocked']);
  for (let i = 0; i < payer.max; i++) assert.equal((await fixture.pay(merchant, phone)).status, 202, `charge ${i} of the server`);
  assert.equal((await fixture.pay(merchant, phone)).status, 402, 'which has the same limit');
});

test('charges by the server count against a public key', async () => {
  const merchant = await fixture.merchant();
  const phone = fixture.number();
  for (let i = 0; i < payer.max; i++) assert.equal((await fixture.pay(merchant, phone)).status, 202);
  assert.equal((await payAsAnybody(merchant, phone)).status, 402);
});

test('what anybody causes does not use up the pace of the team for its server', async () => {
  const merchant = await fixture.merchant();
  const starts_at = new Date(Math.floor(fixture.clock.now() / team.window_ms) * team.window_ms);
  await fixture.asOwner((tx) =>
    tx.run(sql`
      insert into abuse_windows (team_id, starts_at, charges, by_public)
      values (${merchant.team.id}, ${starts_at}, ${team.floor}, ${team.floor - 1})`),
  );
  assert.equal((await payAsAnybody(merchant, fixture.number())).status, 402);
  assert.equal((await fixture.pay(merchant)).status, 202);
  const [window] = await fixture.db.all(
    sql`select charges, by_public, by_page from abuse_windows where team_id = ${merchant.team.id}`,
  );
  assert.deepEqual(window, { charges: team.floor + 1, by_public: team.floor - 1, by_page: 0 });
});

test('a row that the release before wrote counts as the server’s', async () => {
  const merchant = await fixture.merchant();
  const phone = fixture.number();
  for (let i = 0; i < payer.max; i++) assert.equal((await payAsAnybody(merchant, phone)).status, 202);
  await fixture.asOwner((tx) =>
    tx.run(sql`update abuse_payers set by_public = null, by_page = null where team_id = ${merchant.team.id}`),
  );
  assert.equal((await fixture.pay(merchant, phone)).status, 402);
});
