import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { newId } from '../../src/kit/ids.ts';
import { sql } from '../../src/kit/sql.ts';
import { KEY_CACHE_MS } from '../../src/tenants/keys/service.ts';
import { TERMS_CACHE_MS } from '../../src/tenants/teams/charge-terms.ts';
import { openSecrets } from '../../src/program/start/secrets.ts';
import { parsed, pirogue } from './command.ts';
import type { Merchant } from '../setup/api.ts';
import { AbuseFixture } from '../abuse/fixture.ts';

/** Commands beside a running service: what they write is what the next charge meets. */
let fixture: AbuseFixture;
let merchant: Merchant;
let env: Record<string, string>;
before(async () => {
  fixture = await AbuseFixture.open();
  merchant = await fixture.merchant(false);
  const { control, sandbox, live } = fixture.api.databases;
  env = {
    DATA_DIR: fs.mkdtempSync(path.join(os.tmpdir(), 'pirogue-abuse-')),
    CONTROL_DATABASE_URL: control,
    SANDBOX_DATABASE_URL: sandbox,
    LIVE_DATABASE_URL: live,
  };
  // The installation's secrets as the command line finds them.
  const { readConfig } = await import('../../src/platform/config/config.ts');
  fixture.api.deps.secrets = await openSecrets(readConfig(env), fixture.api.control, new Date());
});
after(async () => {
  await fixture.api.stop();
  fs.rmSync(env.DATA_DIR as string, { recursive: true });
});

const run = (...args: string[]) => pirogue(args, env);
// biome-ignore lint/suspicious/noExplicitAny: tests read whatever shape they expect and fail when it is not there
const json = async (...args: string[]): Promise<any> => parsed(await run(...args, '--team', String(merchant.team.id), '--json'));

test('a block applies from `abuse on` to `abuse off`, and explain names it', async () => {
  const block = await json('blocks', 'add', '--phone', '+237 6 70 11 22 33', '--note', 'chargebacks');
  assert.deepEqual([block.kind, block.value, block.note, block.in_force], ['payer', null, 'chargebacks', false]);
  assert.equal((await fixture.pay(merchant, '670112233')).status, 202, 'the rules are off');
  assert.deepEqual(await json('abuse', 'on'), { team_id: String(merchant.team.id), abuse_rules: true });
  fixture.clock.advance(TERMS_CACHE_MS);
  const { id, status } = await fixture.pay(merchant, '670112233');
  assert.equal(status, 402);
  const explained = await run('explain', id);
  assert.match(explained.stdout, /rejected by the fraud rule block\n {2}the block blk_\w+ names its payer\n/);
  assert.match(explained.stdout, /No attempts/);
  const [refusal] = parsed(await run('explain', id, '--json')).refusals;
  assert.deepEqual([refusal.rule, refusal.figures, refusal.times], ['block', { block: block.id, kind: 'payer' }, 1]);
  const shown = await json('abuse', 'show');
  assert.deepEqual(
    [shown.abuse_rules, shown.payer, shown.team, shown.refused],
    [true, { in_ten_minutes: 6, in_a_day: 30 }, { in_ten_minutes: 300, busiest: 0 }, { block: 1 }],
  );
  await json('abuse', 'off');
  fixture.clock.advance(TERMS_CACHE_MS);
  assert.equal((await fixture.pay(merchant, '670112233')).status, 202);
  await json('abuse', 'on');
});

test('who waits until keys are known everywhere has waited for the terms of charges, too', () => {
  assert.ok(TERMS_CACHE_MS <= KEY_CACHE_MS);
});

test('list finds a block by payer and shows no secrets; remove ends it', async () => {
  const range = await json('blocks', 'add', '--address', '2001:DB8::/32', '--expires', '2999-01-01');
  const email = await json('blocks', 'add', '--email', 'Eve@Payer.example');
  assert.deepEqual([range.value, range.expires_at], ['2001:db8:0:0:0:0:0:0/32', '2999-01-01T00:00:00.000Z']);
  const again = await json('blocks', 'add', '--email', 'eve@payer.example', '--note', 'again');
  assert.deepEqual([again.id, again.note], [email.id, 'again'], 'whoever is blocked stays so under one id');
  assert.deepEqual(
    (await json('blocks', 'list', '--email', 'EVE@payer.example')).map(({ id }: { id: string }) => id),
    [email.id],
  );
  const text = await run('blocks', 'list', '--team', String(merchant.team.id));
  assert.match(text.stdout, /email +\(hash\) +again/);
  assert.doesNotMatch(text.stdout, /eve@|670112233/i);
  await json('blocks', 'remove', email.id);
  assert.deepEqual(await json('blocks', 'list', '--email', 'eve@payer.example'), []);
  assert.equal((await fixture.pay(merchant, fixture.number(), { email: 'eve@payer.example' })).status, 202);
});

test('a block of an account number applies to each spelling of it', async () => {
  const own = await fixture.merchant();
  const team = ['--team', String(own.team.id)];
  const bank = async (account_number: string) =>
    (await fixture.pay(own, '', {}, { channel: 'cm.bank', data: { account_number } })).status;
  assert.equal(await bank('ab10-0123 456.789'), 202);
  const { id } = parsed(await run('blocks', 'add', '--account', 'Ab 10.01234-56789', ...team, '--json'));
  for (const spelling of ['ab10-0123 456.789', 'AB100123456789', 'Ab 10.01234-56789'])
    assert.equal(await bank(spelling), 402, spelling);
  assert.equal(await bank('ab10-0123 456.780'), 202);
  // As it was stored before numbers were compared in their plain form.
  const older = await fixture.block(own, 'payer', 'cd-20 555.777');
  assert.deepEqual([await bank('cd-20555.777'), await bank('CD20555777')], [402, 202]);
  const found = async (account: string) => {
    const blocks: { id: string }[] = parsed(await run('blocks', 'list', '--account', account, ...team, '--json'));
    return blocks.map((block) => block.id);
  };
  assert.deepEqual([await found('ab-100123456789'), await found('cd-20 555.777')], [[id], [older]]);
});

test('a block of a customer needs the customer, of this team', async () => {
  const own = await fixture.merchant();
  const { id } = await fixture.payment(own, { email: 'awa@payer.example' });
  const { customer } = await fixture.status(own, id);
  const add = (customer_id: string, { team }: Merchant) =>
    run('blocks', 'add', '--customer', customer_id, '--team', String(team.id), '--json');
  const mistyped = newId('cus', 'live', Date.now());
  for (const [customer_id, of] of [
    [mistyped, own],
    [String(customer), merchant],
  ] as const) {
    const { code, stderr } = await add(customer_id, of);
    assert.deepEqual([code, stderr.includes(`has no customer ${customer_id}`)], [1, true], stderr);
  }
  assert.equal(parsed(await add(String(customer), own)).value, customer);
  assert.equal((await fixture.charge(own, id, fixture.number())).status, 402);
});

test('invalid input is rejected with an explanation', async () => {
  const team = ['--team', String(merchant.team.id)];
  const refused: [string[], number, RegExp][] = [
    [['blocks', 'add', ...team], 2, /exactly one of --phone/],
    [['blocks', 'add', ...team, '--phone', '+237670000000', '--email', 'a@b.example'], 2, /exactly one of --phone/],
    [['blocks', 'add', ...team, '--phone', '670000000'], 2, /with its country/],
    [['blocks', 'add', ...team, '--address', '0.0.0.0/0'], 2, /an address or a range/],
    [['blocks', 'remove', 'blk_none', ...team], 1, /no block blk_none/],
    [['abuse', 'on', '--team', '1'], 1, /there is no team 1/],
    [['abuse', 'show', '--team', '1'], 1, /there is no team 1/],
  ];
  for (const [args, code, words] of refused) {
    const ended = await run(...args);
    assert.deepEqual([ended.code, words.test(ended.stderr)], [code, true], `${args.join(' ')}: ${ended.stderr}`);
  }
});

test('at most 1,000 addresses and ranges can be blocked, because every charge reads them', async () => {
  const full = await fixture.merchant();
  await fixture.asOwner((tx) =>
    tx.run(sql`
      insert into abuse_blocks (team_id, id, kind, value, network, created_at)
      select ${full.team.id}::bigint, 'blk_' || n, 'address', '10.0.' || n / 256 || '.' || n % 256, ('10.0.' || n / 256 || '.' || n % 256)::inet, now()
      from generate_series(1, 1000) n`),
  );
  const add = (address: string, ...more: string[]) =>
    run('blocks', 'add', '--team', String(full.team.id), '--address', address, ...more);
  const ended = await add('203.0.113.7');
  assert.deepEqual([ended.code, /blocks 1000 addresses/.test(ended.stderr)], [1, true], ended.stderr);
  assert.equal((await add('10.0.0.7', '--note', 'changed')).code, 0, 'it is blocked already');
  await fixture.asOwner((tx) =>
    tx.run(sql`update abuse_blocks set expires_at = now() where team_id = ${full.team.id} and id = 'blk_9'`),
  );
  assert.equal((await add('203.0.113.7')).code, 0, 'an expired block does not count');
  assert.equal((await add('203.0.113.8')).code, 1);
});
