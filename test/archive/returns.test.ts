import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { checkBooks } from '../../src/core/books-check/check.ts';
import { resolveReturn } from '../../src/core/returns/resolve.ts';
import { pollReturn } from '../../src/core/returns/service.ts';
import { payerSweep } from '../../src/edge/erasure/sweeps.ts';
import { must } from '../../src/kit/errors.ts';
import { sql } from '../../src/kit/sql.ts';
import { findReported } from '../../src/core/refunds/service.ts';
import { WORKER } from '../../src/tenants/audit/actor.ts';
import { Late } from '../returns/fixture.ts';
import { archive, countArchived, openOwner } from './fixture.ts';

const DAY_MS = 86_400_000;

const late = new Late();
before(() => late.start());
after(() => late.api.stop());

test('a callback by the key of a failed refund restores its archived payment', async () => {
  await late.captured();
  await late.work(8);
  const team_id = late.merchant.team.id;
  late.clock.advance(181 * DAY_MS);
  await payerSweep(late.api.deps, late.store).round();
  const owner = openOwner(late.api.databases.live);
  await archive(late.api, owner, 'live', team_id);
  assert.equal(await countArchived(owner, team_id), 1);
  const { refund_id } = await late.row();
  const { key } = must(
    await late.store.db.maybe<{ key: string }>(
      sql`select legs->0->>'provider_key' as key from refunds where id = ${refund_id} and team_id = ${team_id}`,
    ),
    'it was refused',
  );
  assert.equal(await findReported(late.store, team_id, 'second', key), undefined);
  assert.equal((await findReported(late.store, team_id, 'able', key))?.id, refund_id);
  assert.equal(await findReported(late.store, team_id, 'able', `${key}-other`), undefined);
  await owner.close();
});

test('a payout of an archived payment that had failed and was paid after all is found by a callback: the return was made twice', async () => {
  await late.captured();
  late.able.onPayout = { kind: 'failed', reason: null, message: 'the wallet is full' };
  await late.work(8);
  const team_id = late.merchant.team.id;
  const ref = { team_id, id: (await late.row()).id };
  await resolveReturn(late.api.deps, late.store, ref, { as: 'returned', evidence: 'line 7', author: 'awa' }, WORKER);
  late.clock.advance(181 * DAY_MS);
  await payerSweep(late.api.deps, late.store).round();
  const owner = openOwner(late.api.databases.live);
  assert.deepEqual((await archive(late.api, owner, 'live', team_id)).left, {});
  assert.equal(await countArchived(owner, team_id), 1);

  late.able.onPayoutRead = { kind: 'succeeded', provider_ref: 'p-late', amount_minor: 1_000_000n, currency: 'XAF' };
  await pollReturn(late.store, late.clock.now(), ref, 'able');
  const tally = await archive(late.api, owner, 'live', team_id);
  assert.equal(tally.archived, 0);
  await late.work(3);
  assert.deepEqual([(await late.row()).state, await late.hold()], ['overpaid', -1_000_000n]);
  assert.equal(await countArchived(owner, team_id), 0);
  await owner.close();
  const differences: unknown[] = [];
  await checkBooks(late.store.db, (difference) => differences.push(difference));
  assert.deepEqual(differences, []);
});
