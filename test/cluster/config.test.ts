import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { readConfig } from '../../src/platform/config/config.ts';
import { connectionsOf } from '../../src/platform/db/stores.ts';
import { fillTemplate, templateText } from '../../cluster/templates.ts';

const FOLDER = path.join(import.meta.dirname, '..', '..', 'cluster', 'config');

describe('configuration files of the cluster', () => {
  test('a place without a value, and a value without a place, are reported', () => {
    assert.throws(() => fillTemplate('redis.conf', { HOST: '127.0.0.1', PORT: 1 }), /no value for \$\{FOLDER\}/);
    assert.throws(() => fillTemplate('redis.conf', { HOST: '127.0.0.1', PORT: 1, FOLDER: '/x', OTHER: 2 }), /no place for OTHER/);
    assert.match(fillTemplate('redis.conf', { HOST: '127.0.0.1', PORT: 7, FOLDER: '/x' }), /^port 7$/m);
  });

  test('the page of the balancer has the shape of our errors, its true length, and Retry-After', () => {
    const [head, body] = fs.readFileSync(path.join(FOLDER, '503.http'), 'latin1').split('\r\n\r\n') as [string, string];
    const envelope = JSON.parse(body) as Record<string, unknown>;
    assert.deepEqual(Object.keys(envelope), ['code', 'status', 'message']);
    assert.equal(envelope.code, 503);
    assert.equal(envelope.status, 'Service Unavailable');
    assert.match(head, /^HTTP\/1\.1 503 Service Unavailable\r\n/);
    assert.match(head, new RegExp(`^Content-Length: ${body.length}$`, 'm'));
    assert.match(head, /^Retry-After: 5$/m);
    assert.match(head, /^Content-Type: application\/json/m);
  });

  test('the times of Patroni keep its own rule: ttl at least 20, and loop_wait with two retry_timeouts within it', () => {
    const text = templateText('patroni.yml');
    const value = (name: string) => Number(new RegExp(`^ +${name}: (\\d+)$`, 'm').exec(text)?.[1]);
    assert.ok(value('ttl') >= 20);
    assert.ok(value('loop_wait') + 2 * value('retry_timeout') <= value('ttl'));
    assert.match(text, /synchronous_mode: true\n +synchronous_mode_strict: true/);
    assert.match(text, /synchronous_commit: 'on'/);
  });

  test('the balancer asks for the primary and for readiness, cuts what a former primary has left, and gives a check of the API four seconds', () => {
    const text = templateText('haproxy.cfg');
    const part = (name: string) => text.slice(text.indexOf(`\nbackend ${name}\n`) + 1).split('\n\n')[0] ?? '';
    assert.match(part('primary'), /httpchk OPTIONS \/primary\n/);
    assert.match(part('nodes'), /httpchk GET \/health\/ready\n/);
    assert.match(part('primary'), /on-marked-down shutdown-sessions/);
    // A node that is stopping is not ready, and finishes the requests that it has.
    assert.doesNotMatch(part('nodes'), /on-marked-down/);
    assert.match(text.slice(0, text.indexOf('frontend')), /timeout check 4s/);
    // Anything else than a refused connection may have been done.
    assert.deepEqual(
      [...text.matchAll(/^ *retry-on (.*)$/gm)].map(([, what]) => what),
      ['conn-failure'],
    );
  });

  test('PgBouncer forwards what the program needs, in both modes', () => {
    for (const name of ['pgbouncer.ini', 'pgbouncer-transaction.ini']) {
      const text = templateText(name);
      for (const database of ['control', 'sandbox', 'live']) assert.match(text, new RegExp(`^pirogue_${database} = `, 'm'));
      assert.match(text, /^ignore_startup_parameters = options/m);
      // Callers must have an answer before the pools of the program give up on a connection.
      assert.ok(Number(/^query_wait_timeout = (\d+)$/m.exec(text)?.[1]) < 10);
    }
    assert.match(templateText('pgbouncer.ini'), /^pool_mode = session$/m);
    assert.doesNotMatch(templateText('pgbouncer.ini'), /^max_prepared_statements/m);
    assert.match(templateText('pgbouncer-transaction.ini'), /^max_prepared_statements = \d+$/m);
  });

  test('the settings of the service are valid in production, and its connections fit into those of PostgreSQL', () => {
    const url = (name: string) => `postgresql://u:p@127.0.0.1:1/${name}`;
    const text = fillTemplate('service.env', {
      ...{ PUBLIC_URL: 'http://127.0.0.1:1', SECRETS_KEY: randomBytes(32).toString('base64'), REDIS_URL: 'redis://127.0.0.1:1' },
      ...{ CONTROL_DATABASE_URL: url('c'), SANDBOX_DATABASE_URL: url('s'), LIVE_DATABASE_URL: url('l') },
      ...{ DATABASE_POOL: 6, TRUST_PROXY: 2 },
    });
    const lines = text.split('\n').filter((line) => line !== '');
    const config = readConfig(
      Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)])),
    );
    assert.equal(config.profile, 'production');
    assert.equal(config.migrate_on_start, false);
    assert.ok(4 * connectionsOf(config.database_pool) < 220);
  });
});
