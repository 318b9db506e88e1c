import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../src/kit/clock.ts';
import { sql } from '../../src/kit/sql.ts';
import { KeyRing } from '../../src/tenants/keys/ring.ts';
import { FakeClock, until } from '../setup/api.ts';
import { type CommandLine, openCommandLine } from './command.ts';

let cli: CommandLine;
let team: string;
before(async () => {
  cli = await openCommandLine();
  team = (await cli.json('teams', 'create', '--name', 'Chez Awa', '--email', 'awa@shop.example')).id;
});
after(() => cli.close());

const create = (...args: string[]) => cli.json('keys', 'create', '--team', team, ...args);
const lookUp = (key: string) => new KeyRing(cli.control, systemClock).find(key);

describe('keys create', () => {
  const prefixes = {
    sandbox: { public: 'pk_test.', secret: 'sk_test.', restricted: 'rk_test.' },
    live: { public: 'pk.', secret: 'sk.', restricted: 'rk.' },
  } as const;
  for (const environment of ['sandbox', 'live'] as const) {
    for (const kind of ['public', 'secret', 'restricted'] as const) {
      test(`creates a ${kind} key for ${environment} that the service accepts`, async () => {
        const scopes = kind === 'restricted' ? ['payment.read', 'refund.write'] : [];
        const key = await create(
          '--environment',
          environment,
          '--kind',
          kind,
          ...(kind === 'restricted' ? ['--scopes', scopes.join()] : []),
        );
        const { id, key: text, created_at, ...rest } = key;
        assert.match(id, environment === 'sandbox' ? /^key_test_[0-9a-z]{26}$/ : /^key_[0-9a-z]{26}$/);
        assert.match(text.slice(prefixes[environment][kind].length), /^[0-9A-Za-z]{43}$/);
        assert.ok(text.startsWith(prefixes[environment][kind]));
        assert.ok(!Number.isNaN(Date.parse(created_at)));
        assert.deepEqual(rest, {
          last4: text.slice(-4),
          team_id: team,
          environment,
          kind,
          scopes,
          allowed_ips: [],
          expires_at: null,
        });
        const known = await lookUp(text);
        assert.deepEqual([known?.id, known?.kind, known?.scopes, String(known?.team.id)], [id, kind, scopes, team]);
      });
    }
  }

  test('stores the allowed addresses and the expiry, each address once', async () => {
    const key = await create(
      '--environment',
      'live',
      '--kind',
      'secret',
      '--allow-ip',
      '203.0.113.7, 2001:db8::/32,203.0.113.7',
      '--expires-at',
      '2099-01-31T12:00:00+01:00',
    );
    assert.deepEqual(key.allowed_ips, ['203.0.113.7', '2001:db8::/32']);
    assert.equal(key.expires_at, '2099-01-31T11:00:00.000Z');
    assert.deepEqual((await lookUp(key.key))?.allowed_ips, key.allowed_ips);
  });

  test('a date means 00:00 UTC of that day', async () => {
    assert.equal(
      (await create('--environment', 'live', '--kind', 'public', '--expires-at', '2099-01-31')).expires_at,
      '2099-01-31T00:00:00.000Z',
    );
  });

  test('a key expires at its time', async () => {
    const clock = new FakeClock();
    const expires_at = new Date(clock.now() + 3_600_000);
    const { key, id } = await create('--environment', 'sandbox', '--kind', 'secret', '--expires-at', expires_at.toISOString());
    const ring = new KeyRing(cli.control, clock);
    clock.advance(3_599_999);
    assert.ok(await ring.find(key));
    clock.advance(1);
    assert.equal(await ring.find(key), undefined);
    // The list has the time of the database.
    await cli.control.run(sql`update api_keys set expires_at = now() - interval '1 minute' where id = ${id}`);
    const listed = (await cli.json('keys', 'list')).find((entry: { id: string }) => entry.id === id);
    assert.equal(listed.status, 'expired');
  });

  test('the output for people shows the key first and how to revoke it', async () => {
    const { code, stdout, stderr } = await cli.run(
      'keys',
      'create',
      '--team',
      team,
      '--environment',
      'sandbox',
      '--kind',
      'secret',
    );
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
    assert.match(stdout, /^sk_test\.[0-9A-Za-z]{43}\n\n.*only this once.*"pirogue keys revoke key_test_/);
  });

  test('without --team the key is for the demo team of keys.json', async () => {
    const file = path.join(cli.dataDir, 'keys.json');
    fs.writeFileSync(file, JSON.stringify({ team }));
    try {
      assert.equal((await cli.json('keys', 'create', '--environment', 'sandbox', '--kind', 'public')).team_id, team);
    } finally {
      fs.rmSync(file);
    }
  });

  test('without --team and without keys.json the error explains what to do', async () => {
    const { code, stdout, stderr } = await cli.run('keys', 'create', '--environment', 'sandbox', '--kind', 'public', '--json');
    assert.deepEqual({ code, stdout }, { code: 1, stdout: '' });
    assert.match(stderr, /no demo team: .*keys\.json does not exist.*--team/);
  });

  test('an unknown team exits with 1 and creates no key', async () => {
    const count = () => cli.control.all(sql`select id from api_keys`);
    const before = await count();
    const { code, stdout, stderr } = await cli.run(
      'keys',
      'create',
      '--team',
      '404',
      '--environment',
      'live',
      '--kind',
      'secret',
    );
    assert.deepEqual({ code, stdout }, { code: 1, stdout: '' });
    assert.match(stderr, /there is no team 404/);
    assert.deepEqual(await count(), before);
  });

  test('no key is stored in plain text in the database', async () => {
    const { key, last4 } = await create('--environment', 'live', '--kind', 'secret');
    const rows = await cli.control.all<{ row: string }>(sql`select k::text as row from api_keys k where last4 = ${last4}`);
    assert.equal(rows.length, 1);
    assert.ok(!rows[0]?.row.includes(key.slice('sk.'.length, -4)));
  });
});

test('keys list shows keys newest first, of one team or of all', async () => {
  const other = (await cli.json('teams', 'create', '--name', 'Other', '--email', 'other@shop.example')).id;
  const args = ['--environment', 'sandbox', '--kind', 'restricted', '--scopes', 'payment.read'];
  const first = await cli.json('keys', 'create', '--team', other, ...args);
  const second = await cli.json('keys', 'create', '--team', other, ...args);
  const listed = await cli.json('keys', 'list', '--team', other);
  assert.deepEqual(
    listed.map((key: { id: string }) => key.id),
    [second.id, first.id],
  );
  const { key: _, ...shown } = second;
  assert.deepEqual(listed[0], { ...shown, active: true, revoked_at: null, status: 'active' });
  const everyone = await cli.json('keys', 'list');
  assert.deepEqual(new Set(everyone.map((key: { team_id: string }) => key.team_id)), new Set([team, other]));
  assert.match(
    (await cli.run('keys', 'list', '--team', other)).stdout,
    /^ID +TEAM +ENVIRONMENT +KIND +ENDS IN +STATUS +EXPIRES +CREATED\nkey_test_/,
  );
});

test('keys list of an unknown team exits with 1', async () => {
  const { code, stderr } = await cli.run('keys', 'list', '--team', '404');
  assert.equal(code, 1);
  assert.match(stderr, /there is no team 404/);
});

describe('keys revoke', () => {
  test('returns once no node accepts the key any more', async () => {
    const { key, id } = await create('--environment', 'sandbox', '--kind', 'secret');
    const ring = new KeyRing(cli.control, systemClock);
    // A node that is asked all the time: its memory of the key is as fresh as it can be when the key ends.
    let accepted_at = 0;
    let returned = false;
    const asking = (async () => {
      while (!returned) {
        const asked_at = performance.now();
        if (await ring.find(key)) accepted_at = asked_at;
        await sleep(5);
      }
    })();
    await until(
      async () => accepted_at,
      (at) => at > 0,
    );
    const { status, revoked_at } = await cli.json('keys', 'revoke', id);
    const revoked_returned_at = performance.now();
    returned = true;
    await asking;
    assert.ok(accepted_at < revoked_returned_at);
    assert.equal(await ring.find(key), undefined);
    assert.equal(status, 'revoked');
    assert.ok(Date.now() - Date.parse(revoked_at) >= 800);
  });

  test('a second revocation keeps the first time', async () => {
    const { id } = await create('--environment', 'live', '--kind', 'public');
    const first = await cli.json('keys', 'revoke', id);
    assert.equal((await cli.json('keys', 'revoke', id)).revoked_at, first.revoked_at);
    const { stdout } = await cli.run('keys', 'revoke', id);
    assert.equal(stdout, `${id} is revoked: no node accepts it any more.\n`);
  });

  test('an unknown key exits with 1', async () => {
    const id = `key_${'0'.repeat(26)}`;
    const { code, stdout, stderr } = await cli.run('keys', 'revoke', id, '--json');
    assert.deepEqual({ code, stdout }, { code: 1, stdout: '' });
    assert.match(stderr, new RegExp(`there is no key ${id}\\. .*keys list`));
  });
});

describe('keys deactivate and activate', () => {
  test('every node rejects a deactivated key, and accepts it again after activation', async () => {
    const { key, id } = await create('--environment', 'sandbox', '--kind', 'secret');
    const ring = new KeyRing(cli.control, systemClock);
    assert.ok(await ring.find(key));
    let asking = true;
    const asked = (async () => {
      while (asking) {
        await ring.find(key);
        await sleep(5);
      }
    })();
    const off = await cli.json('keys', 'deactivate', id);
    assert.equal(await ring.find(key), undefined, 'a node that was asked all the time');
    assert.deepEqual([off.id, off.active, off.revoked_at, off.status], [id, false, null, 'inactive']);
    const on = await cli.json('keys', 'activate', id);
    assert.ok(await ring.find(key));
    asking = false;
    await asked;
    assert.deepEqual([on.active, on.status], [true, 'active']);
  });

  test('a revoked key cannot be activated or deactivated', async () => {
    const { key, id } = await create('--environment', 'live', '--kind', 'secret');
    await cli.json('keys', 'revoke', id);
    for (const command of ['activate', 'deactivate']) {
      const { code, stdout, stderr } = await cli.run('keys', command, id);
      assert.deepEqual({ code, stdout }, { code: 1, stdout: '' });
      assert.match(stderr, /is revoked permanently.*keys create/);
    }
    assert.equal(await lookUp(key), undefined);
  });

  test('an expired key is not reported as accepted again', async () => {
    const { id } = await create('--environment', 'live', '--kind', 'secret');
    await cli.json('keys', 'deactivate', id);
    await cli.control.run(sql`update api_keys set expires_at = now() - interval '1 day' where id = ${id}`);
    const { code, stdout, stderr } = await cli.run('keys', 'activate', id);
    assert.deepEqual({ code, stdout }, { code: 1, stdout: '' });
    assert.match(stderr, /has expired.*keys create/);
  });

  test('an unknown key or an invalid id changes nothing', async () => {
    const { key } = await create('--environment', 'live', '--kind', 'secret');
    assert.equal((await cli.run('keys', 'deactivate', `key_${'0'.repeat(26)}`)).code, 1);
    const pasted = await cli.run('keys', 'deactivate', key);
    assert.equal(pasted.code, 2);
    assert.ok(!pasted.stderr.includes(key), 'a pasted key is not printed');
    assert.ok(await lookUp(key));
  });
});
