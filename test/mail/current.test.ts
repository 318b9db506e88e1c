import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import type { OutgoingMail, Sending } from '../../src/edge/mail/outgoing.ts';
import { mailSweep } from '../../src/edge/mail/sweeps.ts';
import { sql } from '../../src/kit/sql.ts';
import { startApi } from '../setup/api.ts';

/** What the mail of an invoice says, and whether it is sent, is decided when it is sent. */
const api = await startApi({ workers: false });
after(() => api.stop());
const store = api.deps.stores.live;
const { db } = store;
const key = (await api.newMerchant({ verification_level: 4 })).live.secret;
beforeEach(() => db.run(sql`delete from mails`));

/** An invoice of 10,000 francs whose mail is queued. @returns its id */
async function queued(): Promise<string> {
  const items = [{ name: 'Mangoes', unit_price: 10_000 }];
  const body = { items, currency: 'XAF', locale: 'en', customer: { email: 'awa@buyers.example' } };
  const made = await api.call('POST', '/invoices', { key, body });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const { id } = made.body.invoice;
  assert.equal((await api.call('POST', `/invoices/${id}/send`, { key })).status, 200);
  return id;
}

/** Sends what is queued. */
async function sent(sending: Sending = { kind: 'sent' }): Promise<OutgoingMail[]> {
  const mails: OutgoingMail[] = [];
  const send = async (mail: OutgoingMail) => {
    mails.push(mail);
    return sending;
  };
  await db.run(sql`update mails set due_at = pirogue_now() where due_at is not null`);
  await mailSweep(api.deps, store, { send }).round();
  return mails;
}

const rows = () => db.all(sql`select kind from mails`);

const ENDS: [end: string, work: (id: string) => Promise<unknown>][] = [
  ['cancelled', (id) => api.call('POST', `/invoices/${id}/cancel`, { key })],
  ['paid', (id) => db.run(sql`update invoices set status = 'paid', paid_minor = amount_minor where id = ${id}`)],
];

for (const [end, work] of ENDS) {
  test(`the mail of an invoice that was ${end} meanwhile is dropped, also after a failed try`, async () => {
    const id = await queued();
    assert.equal((await sent({ kind: 'failed', error: 'ETIMEDOUT' })).length, 1);
    await work(id);
    assert.deepEqual([await sent(), await rows()], [[], []]);
  });
}

test('a mail asks for the amount that is due when it is sent', async () => {
  const id = await queued();
  await db.run(sql`update invoices set status = 'partial', paid_minor = 400000 where id = ${id}`);
  const [mail, ...others] = await sent();
  assert.deepEqual([others, (await rows()).length], [[], 1]);
  assert.match(mail?.text ?? '', /FCFA\s6,000/);
});

test('a mail that the previous release queued does not name its invoice, and is sent as it is', async () => {
  const id = await queued();
  await db.run(sql`update mails set facts = (facts::jsonb - 'invoice')::json`);
  await api.call('POST', `/invoices/${id}/cancel`, { key });
  const [mail] = await sent();
  assert.match(mail?.text ?? '', /FCFA\s10,000/);
});
