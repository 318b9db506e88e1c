import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError } from '../../src/kit/config-error.ts';
import { parseDatabaseUrl } from '../../src/kit/database-url.ts';

const host = (name: string, port = 5432) => ({ host: name, port });

test('a URL of one host without target_session_attrs goes to the driver as it is', () => {
  for (const url of [
    'postgresql://u:p,q%40@db:6432/n?sslmode=require',
    'postgres:///n?host=/tmp',
    'postgresql://%2Ftmp:5432/n',
  ]) {
    assert.deepEqual(parseDatabaseUrl(url), { url, hosts: [] });
  }
});

test('several hosts are read as libpq reads them: ports of their own, IPv6, sockets, other parameters kept', () => {
  for (const [url, plain, hosts] of [
    ['postgres://u:p,q@a,b:6432/n?target_session_attrs=primary', 'postgres://u:p,q@a/n', [host('a'), host('b', 6432)]],
    [
      'postgresql://u@[::1]:5433,10.0.0.2/n?sslmode=require&target_session_attrs=read-write&connect_timeout=3',
      'postgresql://u@[::1]:5433/n?sslmode=require&connect_timeout=3',
      [host('::1', 5433), host('10.0.0.2')],
    ],
    [
      'postgresql://%2Ftmp%2Fa,%2Ftmp%2Fb/n?target_session_attrs=primary',
      'postgresql://%2Ftmp%2Fa/n',
      [host('/tmp/a'), host('/tmp/b')],
    ],
    ['postgresql://u@one:5433/n?target_session_attrs=primary', 'postgresql://u@one:5433/n', [host('one', 5433)]],
    ['postgresql://u@one/n?target_session_attrs=any', 'postgresql://u@one/n', []],
  ] as const) {
    assert.deepEqual(parseDatabaseUrl(url), { url: plain, hosts }, url);
  }
});

test('several hosts without a primary to look for, and hosts that are malformed, are rejected without showing the password', () => {
  for (const url of [
    'postgresql://u:hunter2@a,b/n',
    'postgresql://u:hunter2@a,b/n?target_session_attrs=any',
    'postgresql://u:hunter2@a/n?target_session_attrs=standby',
    'postgresql://u:hunter2@a,/n?target_session_attrs=primary',
    'postgresql://u:hunter2@a,b:x/n?target_session_attrs=primary',
  ]) {
    assert.throws(
      () => parseDatabaseUrl(url),
      (error) => error instanceof ConfigError && !error.message.includes('hunter2'),
      url,
    );
  }
});
