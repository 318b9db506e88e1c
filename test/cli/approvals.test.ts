import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { type CommandLine, openCommandLine } from './command.ts';

let cli: CommandLine;
let team: string;
before(async () => {
  cli = await openCommandLine();
  team = (await cli.json('teams', 'create', '--name', 'Chez Awa', '--email', 'awa@shop.example')).id;
});
after(() => cli.close());

test('approvals off removes the thresholds of one team, and says so in the audit trail', async () => {
  const other = (await cli.json('teams', 'create', '--name', 'Chez Blaise', '--email', 'b@shop.example')).id;
  await cli.control.run(sql`
    insert into approval_thresholds (team_id, currency, above_minor)
    select t.id, c, 100 from teams t, unnest(array['XAF', 'XOF']) c where t.id in (${team}::bigint, ${other}::bigint)`);
  assert.deepEqual(await cli.json('approvals', 'off', '--team', team), { team, removed: ['XAF', 'XOF'] });
  const left = await cli.control.all<{ team_id: bigint }>(sql`select distinct team_id from approval_thresholds`);
  assert.deepEqual(
    left.map(({ team_id }) => String(team_id)),
    [other],
  );
  const entries = await cli.control.all(
    sql`select actor, resource_id, team_id::text from audit_entries where action = 'approval.off'`,
  );
  assert.deepEqual(entries, [{ actor: 'operator', resource_id: team, team_id: team }]);
  assert.match((await cli.run('approvals', 'off', '--team', team)).stdout, /had no threshold/);
  assert.match((await cli.run('approvals', 'off', '--team', '999999')).stderr, /there is no team/);
  assert.equal((await cli.run('approvals', 'off')).code, 2);
});
