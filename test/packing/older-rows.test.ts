import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FORMATS, Packing, unpack } from '../../src/kit/packing.ts';
import { deflateWithWords } from '../../src/kit/packing-deflate.ts';
import { HOLE } from '../../src/kit/packing-values.ts';
import { sql } from '../../src/kit/sql.ts';
import { Deliveries } from '../setup/deliveries.ts';
import { type Received, verify } from '../setup/receiver.ts';

/* Rows that another version wrote: packed with each dictionary, or not packed at all. */

const hooks = new Deliveries();

const packedWith = (number: number) => (text: string) => {
  const packing = new Packing(FORMATS);
  packing.permit(number);
  return packing.packWhole(text);
};

/** Stored forms of a text by other versions. */
const OLDER: Record<string, (text: string) => Buffer> = {
  'dictionary 1': (text) => Buffer.concat([Buffer.from('1\n'), deflateWithWords(text)]),
  'dictionary 1 with a value of the statement': (text) =>
    Buffer.concat([Buffer.from('1|1\n'), deflateWithWords(text.replace('"pending_webhooks":1', `"pending_webhooks":${HOLE}`))]),
  'dictionary 2': packedWith(2),
  'dictionary 3': packedWith(3),
  JSON: (text) => Buffer.from(text),
};

for (const [form, older] of Object.entries(OLDER)) {
  test(`an event stored as ${form} is delivered, signed and returned with the very same bytes`, async () => {
    const endpoint = await hooks.register();
    await hooks.announce(1, { name: 'Aïssatou 🛶', amount: 25_000.5, at: '2026-11-21T13:44:03.456Z' });
    const { db } = hooks.store;
    const team_id = hooks.merchant.team.id;
    const row = await db.maybe<{ body: Buffer }>(sql`select body from events where team_id = ${team_id}`);
    const text = unpack(row?.body as Buffer);
    assert.equal(unpack(older(text)), text);
    await db.run(sql`update events set body = ${older(text)} where team_id = ${team_id}`);
    hooks.start();
    const [received] = (await hooks.receiver.waitFor(1)) as [Received];
    assert.equal(received.body.toString(), text);
    assert.equal(verify(received, endpoint.secret), null);
    assert.equal(JSON.stringify((await hooks.call('GET', `/events/${received.event.id}`)).event), text);
  });

  test(`a response stored as ${form} is replayed with the very same bytes`, async () => {
    const { db } = hooks.store;
    const { team, sandbox } = hooks.merchant;
    const { transaction } = await hooks.call('POST', '/payments', { amount: 500, currency: 'XAF', email: 'payer@shop.example' });
    const headers = { 'Idempotency-Key': 'older' };
    const send = async () => {
      const body = { channel: 'cm.mtn', data: { phone: '650000000' } };
      const answer = await hooks.api.call('POST', `/payments/${transaction.id}`, { key: sandbox.secret, headers, body });
      assert.equal(answer.status, 202);
      return { text: JSON.stringify(answer.body), replayed: answer.headers.get('idempotent-replayed') };
    };
    const first = await send();
    const condition = sql`select answer from idempotency_answers where team_id = ${team.id} and key = 'older'`;
    const text = unpack((await db.maybe<{ answer: Buffer }>(condition))?.answer as Buffer);
    await db.run(sql`update idempotency_keys set answer = ${older(text)} where team_id = ${team.id} and key = 'older'`);
    await db.run(sql`delete from idempotency_answers where team_id = ${team.id} and key = 'older'`);
    assert.deepEqual(await send(), { text: first.text, replayed: 'true' });
  });
}
