import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { readConfig } from '../../src/platform/config/config.ts';
import { secretsKeys } from '../../src/platform/config/secrets-keys.ts';
import { Secrets } from '../../src/kit/crypto.ts';
import { fixedKeys, open, SealError, seal, sealedPlace, sealingKey } from '../../src/kit/sealing.ts';
import { KeyFile, sealingKeysOf } from '../../src/program/start/secrets-key.ts';

const [OLD, NEW, FOREIGN] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2), Buffer.alloc(32, 3)];
const PLACE = sealedPlace('webhook_endpoints.secret_sealed', 7n, 'wh_1');

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pirogue-keys-'));
after(() => fs.rmSync(folder, { recursive: true }));

let files = 0;
/** A key file as the first start makes it. */
const newFile = () => {
  const data_dir = path.join(folder, String(++files));
  fs.mkdirSync(data_dir);
  sealingKeysOf(readConfig({ DATA_DIR: data_dir }), true);
  return path.join(data_dir, 'secrets.key');
};

const refuses = (what: () => unknown, why: RegExp) =>
  assert.throws(what, (error) => error instanceof SealError && why.test(error.message));

test('a sealed text opens again, and two seals of one text differ', () => {
  const secrets = new Secrets(OLD);
  const [one, two] = [secrets.seal('whsec_é🛶', PLACE), secrets.seal('whsec_é🛶', PLACE)];
  assert.notEqual(one, two);
  assert.deepEqual([secrets.open(one, PLACE), secrets.open(two, PLACE)], ['whsec_é🛶', 'whsec_é🛶']);
  assert.equal(secrets.open(secrets.seal('', PLACE), PLACE), '');
});

test('a sealed value names its key and reveals neither key nor text', () => {
  const { id } = sealingKey(OLD);
  const sealed = new Secrets(OLD).seal('canary-text', PLACE);
  assert.ok(sealed.startsWith(`s2.${id}.`));
  assert.match(id, /^[0-9a-f]{12}$/);
  assert.ok(!OLD.toString('hex').includes(id) && !sealed.includes('canary'));
});

test('a value moved to another column, team or row does not open', () => {
  const secrets = new Secrets(OLD);
  const sealed = secrets.seal('text', PLACE);
  for (const place of [
    sealedPlace('payment_methods.token_sealed', 7n, 'wh_1'),
    sealedPlace('webhook_endpoints.secret_sealed', 8n, 'wh_1'),
    sealedPlace('webhook_endpoints.secret_sealed', 7n, 'wh_2'),
  ])
    refuses(() => secrets.open(sealed, place), /changed, or stood somewhere else/);
});

test('a value with any one character changed, removed or added does not open', () => {
  const secrets = new Secrets(OLD, fixedKeys([OLD, NEW]));
  const sealed = secrets.seal('0123456789ab', PLACE);
  const changed = (text: string) => text !== sealed && refuses(() => secrets.open(text, PLACE), /./);
  for (let i = 0; i < sealed.length - 1; i++) {
    changed(sealed.slice(0, i) + (sealed[i] === 'a' ? 'b' : 'a') + sealed.slice(i + 1));
    changed(sealed.slice(0, i) + sealed.slice(i + 1));
  }
  const renamed = sealed.replace(sealingKey(OLD).id, sealingKey(NEW).id);
  for (const text of [`${sealed}AAAA`, renamed, '', 's2', 's2..', sealed.replace('s2', 's1')]) changed(text);
});

test('every key opens, the first key seals; a missing key is reported by its id', () => {
  const before = new Secrets(OLD, fixedKeys([OLD])).seal('text', PLACE);
  const both = fixedKeys([NEW, OLD]);
  assert.equal(open(both, before, PLACE), 'text');
  assert.ok(seal(both.current(), 'text', PLACE).startsWith(`s2.${sealingKey(NEW).id}.`));
  refuses(
    () => open(fixedKeys([FOREIGN]), before, PLACE),
    new RegExp(`under the secrets key ${sealingKey(OLD).id}; .* ${sealingKey(FOREIGN).id}`),
  );
});

test('derived values do not change when keys are added', () => {
  assert.equal(
    new Secrets(OLD, fixedKeys([NEW])).mac('payer', 'x'),
    new Secrets(OLD, fixedKeys([FOREIGN, NEW])).mac('payer', 'x'),
  );
  assert.notEqual(new Secrets(OLD).mac('payer', 'x'), new Secrets(NEW).mac('payer', 'x'));
});

test('SECRETS_KEY: invalid lists are rejected without showing a key', () => {
  const a = Buffer.from('k'.repeat(16) + 'l'.repeat(16)).toString('base64');
  assert.deepEqual(secretsKeys([a]), [Buffer.from(a, 'base64')]);
  for (const [texts, why] of [
    [['short'], /32 bytes/],
    [[a, ''], /each key must be 32 bytes/],
    [[a, a], /twice/],
  ] as const) {
    const said = secretsKeys(texts);
    assert.ok(typeof said === 'string' && why.test(said) && !said.includes(a), String(said));
  }
});

test('the key file is created once, readable only by its owner', () => {
  const file = newFile();
  const [first, second] = [new KeyFile(file), new KeyFile(file)];
  assert.deepEqual(first.ids(), second.ids());
  assert.equal(fs.statSync(file).mode & 0o777, 0o600);
  first.add();
  assert.equal(fs.statSync(file).mode & 0o777, 0o600);
  assert.deepEqual(fs.readdirSync(path.dirname(file)), [path.basename(file)]);
});

test('a running process seals with a key that another process added, and opens what that one sealed', () => {
  const file = newFile();
  const [running, command] = [new KeyFile(file), new KeyFile(file)];
  const before = seal(running.current(), 'before', PLACE);
  command.add();
  const after = seal(command.current(), 'after', PLACE);
  assert.equal(open(running, after, PLACE), 'after');
  assert.equal(open(running, before, PLACE), 'before');
  assert.equal(running.current().id, command.current().id);
  command.drop([sealingKey(OLD).id]);
  assert.equal(command.ids().length, 2, 'a key that is not there changes nothing');
  command.drop(running.ids().slice(1));
  assert.deepEqual([running.ids(), open(running, after, PLACE)], [[command.current().id], 'after']);
});

test('a missing or damaged key file does not affect a running process, and stops the next start', () => {
  const file = newFile();
  const running = new KeyFile(file);
  const sealed = seal(running.current(), 'text', PLACE);
  fs.writeFileSync(file, 'half a ke');
  assert.equal(open(running, sealed, PLACE), 'text');
  assert.equal(open(running, seal(running.current(), 'more', PLACE), PLACE), 'more');
  assert.throws(() => new KeyFile(file), /cannot be used: it must be 32 bytes.*restore it from a backup/);
  assert.throws(() => running.add(), /cannot be used/);
  assert.equal(fs.readFileSync(file, 'utf8'), 'half a ke', 'a damaged file is left for a person to look at');
  fs.rmSync(file);
  assert.equal(open(running, sealed, PLACE), 'text');
  assert.throws(() => new KeyFile(file), /is missing: restore it from a backup/);
  assert.ok(!fs.existsSync(file), 'no other key takes its place');
});
