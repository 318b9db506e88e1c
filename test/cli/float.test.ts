import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openPool } from '../../src/platform/db/pool.ts';
import { newId } from '../../src/kit/ids.ts';
import { createLog } from '../../src/kit/log.ts';
import { sql } from '../../src/kit/sql.ts';
import { decide } from '../../src/providers/routing/decide.ts';
import { type CommandLine, openCommandLine } from './command.ts';
import { accountOf, NO_NEWS, requestOf, rulesetOf } from '../routing/support.ts';

let cli: CommandLine;
let team: string;
let account: string;
before(async () => {
  cli = await openCommandLine();
  team = (await cli.json('teams', 'create', '--name', 'Chez Awa', '--email', 'awa@shop.example')).id;
  const args = ['--team', team, '--name', 'kora', '--set', 'api_token=canary-0123456789'];
  account = (await cli.json('providers', 'add', 'pawapay', ...args)).id;
});
after(() => cli.close());

async function hold(currency: string, area: string, amount_minor: number): Promise<void> {
  const live = openPool({ url: cli.databases.live, size: 1, log: createLog({ level: 'silent', format: 'json' }) });
  await live.run(sql`
    insert into floats (team_id, account_id, currency, area, use, amount_minor, read_at)
    values (${BigInt(team)}, ${account}, ${currency}, ${area}, 'both', ${amount_minor}, now())`);
  await live.close();
}

const list = () => cli.json('float', 'list', '--team', team);

test('an account whose float was never queried is shown as such', async () => {
  assert.deepEqual(await list(), [
    { account, provider: 'pawapay', name: 'kora', active: true, asked_at: null, read_at: null, error: null, floats: [] },
  ]);
  assert.match((await cli.run('float', 'list', '--team', team)).stdout, /kora +unknown/);
});

test('set watches a float, and an area can have its own threshold; list shows both, off ends it', async () => {
  await hold('XAF', 'cm', 50_000);
  await hold('XAF', 'ga', 0);
  assert.deepEqual(await cli.json('float', 'set', account, '--currency', 'xaf', '--alert-below', '700.50'), {
    ...{ account, currency: 'XAF', area: null, alert_below: 700.5 },
  });
  await cli.json('float', 'set', account, '--currency', 'XAF', '--alert-below', '200', '--area', 'cm');
  const shown = async () => {
    const [{ floats }] = await list();
    return floats.map(({ area, amount, alert_below, level }: Record<string, unknown>) => [area, amount, alert_below, level]);
  };
  assert.deepEqual(await shown(), [
    ['cm', 500, 200, 'enough'],
    ['ga', 0, 700.5, 'empty'],
  ]);
  await cli.json('float', 'set', account, '--currency', 'XAF', '--alert-below', 'off', '--area', 'cm');
  assert.deepEqual((await shown())[0], ['cm', 500, 700.5, 'low']);
  const text = await cli.run('float', 'list', '--team', team);
  assert.match(text.stdout, /kora +XAF +cm +both +500 +700\.50 +low +\d{4}-/);
});

test('a list of an unknown team is an error, not an empty list', async () => {
  for (const command of ['float', 'providers']) {
    const { code, stderr } = await cli.run(command, 'list', '--team', '424242');
    assert.equal(code, 1, command);
    assert.match(stderr, /there is no team 424242/);
  }
});

test('invalid input is rejected with an explanation', async () => {
  const unknown = newId('pa', 'live', 1);
  const refused: [string[], number, RegExp][] = [
    [['float', 'set', unknown, '--currency', 'XAF', '--alert-below', '5'], 1, /there is no account pa_/],
    [['float', 'set', 'kora', '--currency', 'XAF', '--alert-below', '5'], 2, /kora is not the id of an account/],
    [['float', 'set', account, '--currency', 'XOF', '--alert-below', 'off'], 1, /no alert is set for XOF/],
    [['float', 'set', account, '--currency', 'XAF', '--alert-below', '0'], 2, /above 0/],
    [['float', 'set', account, '--currency', 'XAF', '--alert-below', '-1'], 2, /above 0/],
    [['float', 'set', account, '--currency', 'XAF', '--alert-below', '5', '--area', 'Cameroon'], 2, /a country such as cm/],
  ];
  for (const [args, code, words] of refused) {
    const ended = await cli.run(...args);
    assert.deepEqual([ended.code, words.test(ended.stderr)], [code, true], `${args.join(' ')}: ${ended.stderr}`);
  }
});

test('explain shows the accounts tried for a transfer, and a float below the amount', async () => {
  const live = openPool({ url: cli.databases.live, size: 1, log: createLog({ level: 'silent', format: 'json' }) });
  const floats = {
    shortOf: (id: string) => (id === 'pa_a' ? 'float below amount (1000 XAF at 2026-09-01T12:00:00.000Z)' : null),
  };
  const request = requestOf({ operation: 'payout' });
  const made = decide(rulesetOf(), [accountOf('a'), accountOf('b')], NO_NEWS, request, { at: 0, draw: 0 }, floats);
  const decision = {
    explanation: made.explanation,
    candidates: ['pa_b', 'pa_a'],
    tried: ['pa_b'],
    resent: false,
    note: 'no answer yet',
  };
  const [id, at] = [newId('po', 'live', 1), new Date('2026-09-01T12:00:01Z')];
  await live.run(sql`
    insert into transfers (team_id, id, amount_minor, fee_minor, currency, status, channel, recipient, provider_account, provider_key, decision,
      stage, event_count, key_id, request_id, created_at, updated_at, dispatched_at)
    values (${BigInt(team)}, ${id}, 500000, 0, 'XAF', 'processing', 'cm.mtn', '{"name":"Aminata","phone":"+237655544433"}', 'pa_a', 'k',
      ${JSON.stringify(decision)}, 'dispatched', 1, 'k', 'r', ${at}, ${at}, ${at})`);
  await live.close();
  const { stdout } = await cli.run('explain', id);
  for (const line of [
    `${id} of team ${team}, live: 5,000 XAF on cm.mtn, processing`,
    'b (simulator) was chosen: in the order in which accounts were added.',
    'a (simulator) is fallback 1: in the order in which accounts were added; put last: float below amount (1000 XAF at 2026-09-01T12:00:00.000Z).',
    'pa_b provably did not accept it.',
    '→ pa_a has it, or may have it, since 2026-09-01T12:00:01Z: no answer yet.',
  ]) {
    assert.ok(stdout.includes(`${line}\n`), `${line}\n\n${stdout}`);
  }
  const document = await cli.json('explain', id);
  assert.deepEqual([document.amount, document.decision.tried], [5000, ['pa_b']]);
  assert.doesNotMatch(stdout + JSON.stringify(document), /Aminata|655544433/);
  assert.match((await cli.run('explain', newId('po', 'live', 2))).stderr, /there is no transfer po_/);
});
