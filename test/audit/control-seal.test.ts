import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { countUnsealed, sealNext } from '../../src/platform/chain/store.ts';
import { type Fault, verifyChain } from '../../src/platform/chain/verify.ts';
import { controlSweeps, sweepsOf } from '../../src/program/program.ts';
import { person } from '../../src/tenants/audit/actor.ts';
import { CONTROL_ENTRIES } from '../../src/tenants/audit/chains.ts';
import { record } from '../../src/tenants/audit/record.ts';
import { type Api, startApi } from '../setup/api.ts';
import { closed } from './closed.ts';

let api: Api;
before(async () => {
  api = await startApi({ workers: false });
});
after(() => api.stop());

const WHO = person('usr_1', 'ses_1', 'req_1', '203.0.113.7');

test('the service seals what people do in control, with its own role, and can change neither an entry nor a seal', async () => {
  const { control } = api.deps.stores;
  for (const id of ['key_1', 'key_2']) {
    await control.transaction((tx) =>
      record(tx, WHO, { team_id: api.team.id, action: 'key.create', resource_id: id, at: Date.now() }),
    );
  }
  await closed(control);
  assert.equal(await sealNext(control, CONTROL_ENTRIES, 100, 0), 2);
  assert.equal(await sealNext(control, CONTROL_ENTRIES, 100, 0), 0);
  const faults: Fault[] = [];
  const { seals } = await verifyChain(api.control, CONTROL_ENTRIES, (fault) => faults.push(fault));
  assert.deepEqual([seals, faults], [1, []]);
  assert.equal(await countUnsealed(api.control, CONTROL_ENTRIES), 0);
  for (const text of [
    `update audit_entries set resource_id = 'key_3'`,
    'delete from audit_entries',
    `update audit_seals set hash = sha256('')`,
    'delete from audit_seals',
  ]) {
    await assert.rejects(control.run({ text, values: [] }), /permission denied/, text);
  }
  await api.control.run(sql`update audit_entries set resource_id = 'key_3' where resource_id = 'key_1'`);
  await verifyChain(api.control, CONTROL_ENTRIES, (fault) => faults.push(fault));
  assert.equal(faults.length, 1, 'what somebody else changes is found');
});

test('one sweep of the program seals control', () => {
  const { sandbox, live } = api.deps.stores;
  const sweeps = [...sweepsOf(api.deps, sandbox), ...sweepsOf(api.deps, live), ...controlSweeps(api.deps)];
  assert.equal(sweeps.filter(({ name }) => name === 'control-seal').length, 1);
});
