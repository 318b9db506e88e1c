import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { type Answer, startApi } from '../setup/api.ts';

const ORDER = { amount: 25000, currency: 'XAF', phone: '+237650000000' };

for (const batching of ['on', 'off']) {
  const api = await startApi({ workers: false, env: { CREATE_BATCHING: batching } });
  after(() => api.stop());
  const { db } = api.deps.stores.sandbox;
  const title = (text: string) => `${text} (batching ${batching})`;

  const create = (changes: object, key?: string, secret = api.keys.sandbox.secret): Promise<Answer> =>
    api.call('POST', '/payments', {
      key: secret,
      body: { ...ORDER, ...changes },
      headers: key ? { 'idempotency-key': key } : {},
    });

  async function rows(reference: string): Promise<{ payments: number; events: number }> {
    const [found] = await db.all<{ payments: bigint; events: bigint }>(sql`
      select count(*) as payments, (select count(*) from events e where e.resource_id in (
        select id from payments where reference = ${reference})) as events
      from payments where reference = ${reference}`);
    return { payments: Number(found?.payments), events: Number(found?.events) };
  }

  test(title('200 at once with one key: one payment, one event, one id told to all'), async () => {
    const answers = await Promise.all(Array.from({ length: 200 }, () => create({ reference: 'one' }, 'one')));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
    const [first] = answers;
    for (const { body } of answers) assert.deepEqual(body, first?.body);
    assert.equal(answers.filter(({ headers }) => headers.get('idempotent-replayed') === null).length, 1);
    assert.deepEqual(await rows('one'), { payments: 1, events: 1 });
  });

  test(title('100 at once with one key and two payloads: one wins, the others are 422'), async () => {
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, i) => create({ reference: 'two', amount: 1 + (i % 2) }, 'two')),
    );
    const made = answers.filter(({ status }) => status === 201);
    assert.equal(made.length, 50);
    assert.equal(new Set(made.map(({ body }) => body.transaction.id)).size, 1);
    for (const { status, body } of answers)
      if (status !== 201) assert.deepEqual([status, Object.keys(body.errors)], [422, ['idempotency_key']]);
    assert.deepEqual(await rows('two'), { payments: 1, events: 1 });
  });

  test(title('150 at once with 30 keys, five times each: 30 payments'), async () => {
    const answers = await Promise.all(Array.from({ length: 150 }, (_, i) => create({ reference: 'many' }, `many-${i % 30}`)));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
    for (let key = 0; key < 30; key++) {
      const ids = new Set(answers.filter((_, i) => i % 30 === key).map(({ body }) => body.transaction.id));
      assert.equal(ids.size, 1);
    }
    assert.deepEqual(await rows('many'), { payments: 30, events: 30 });
  });

  test(title('one reference 20 times at once, to be unique: one 201, the others 409'), async () => {
    const strict = await api.newMerchant({ unique_references: true });
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => create({ reference: 'unique' }, undefined, strict.sandbox.secret)),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, ...Array(19).fill(409)]);
    for (const { status, body } of answers) if (status === 409) assert.deepEqual(Object.keys(body.errors), ['reference']);
    assert.deepEqual(await rows('unique'), { payments: 1, events: 1 });
  });

  test(title('a taken reference fails alone: its neighbours in the batch are made'), async () => {
    const strict = await api.newMerchant({ unique_references: true });
    const secret = strict.sandbox.secret;
    await create({ reference: 'taken' }, undefined, secret);
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, i) => create({ reference: i % 10 === 0 ? 'taken' : `free-${i}` }, `neighbour-${i}`, secret)),
    );
    for (const [i, { status }] of answers.entries()) assert.equal(status, i % 10 === 0 ? 409 : 201, `request ${i}`);
    assert.equal((await create({ reference: 'free-0' }, 'neighbour-0', secret)).status, 201, 'a 409 did not consume its key');
    assert.deepEqual(await rows('taken'), { payments: 1, events: 1 });
  });

  test(title('50 at once with one key and one reference to be unique: the key wins, all are 201'), async () => {
    const strict = await api.newMerchant({ unique_references: true });
    for (let round = 0; round < 5; round++) {
      const reference = `both-${round}`;
      const answers = await Promise.all(
        Array.from({ length: 50 }, () => create({ reference }, reference, strict.sandbox.secret)),
      );
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
      assert.equal(new Set(answers.map(({ body }) => body.transaction.id)).size, 1);
    }
  });

  test(title('many teams at once: everyone gets their own payment'), async () => {
    const teams = await Promise.all(Array.from({ length: 5 }, () => api.newMerchant()));
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        create({ reference: `team-${i % 5}`, amount: 1 + i }, 'same-key-everywhere', teams[i % 5]?.sandbox.secret),
      ),
    );
    const owners = await db.all<{ team_id: bigint; reference: string }>(
      sql`select team_id, reference from payments where reference like 'team-%'`,
    );
    assert.equal(owners.length, 5);
    for (const { team_id, reference } of owners) assert.equal(team_id, teams[Number(reference.slice(5))]?.team.id);
    assert.ok(answers.every(({ status }) => status === 201 || status === 422));
  });
}
