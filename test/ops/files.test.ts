import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { readConfig } from '../../src/platform/config/config.ts';
import { connectionsOf } from '../../src/platform/db/stores.ts';

const root = path.join(import.meta.dirname, '..', '..');
const read = (name: string) => fs.readFileSync(path.join(root, name), 'utf8');
const readAll = (pattern: string) => fs.globSync(pattern, { cwd: root }).map(read).join('\n');
const every = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found]) => found as string);

test('alert rules and dashboard use existing metrics only', () => {
  const known = new Set(every(readAll('src/edge/metrics/*.ts'), /'((?:pirogue|nodejs|process)_\w+)'/g));
  const rules = read('ops/prometheus/alerts.yaml')
    .split(/- alert: /)
    .slice(1);
  const panels = JSON.parse(read('ops/grafana/pirogue.json')).panels as { targets: { expr: string }[] }[];
  const expressions = [...rules, ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))];
  assert.ok(expressions.length > 20);
  for (const expression of expressions) {
    const names = every(expression, /\b((?:pirogue|nodejs|process)_[a-z_]+)\b/g).map((name) => name.replace(/_bucket$/, ''));
    assert.ok(names.length > 0, expression);
    assert.deepEqual(
      names.filter((name) => !known.has(name)),
      [],
      expression,
    );
  }
});

test('every alert is explained in docs/operations.md', () => {
  const text = read('docs/operations.md');
  const names = every(read('ops/prometheus/alerts.yaml'), /- alert: (\w+)/g);
  assert.ok(names.length > 8);
  assert.deepEqual(
    names.filter((name) => !text.includes(`\`${name}\``)),
    [],
  );
});

const ruleOf = (alert: string) => read('ops/prometheus/alerts.yaml').split(`- alert: ${alert}\n`)[1]?.split('- alert: ')[0] ?? '';

/** Whether a series with these labels fits a selector of Prometheus. */
function fits(selector: string, labels: Record<string, string>): boolean {
  return [...selector.matchAll(/(\w+)(=~|!~|!=|=)"([^"]*)"/g)].every(([, name = '', operator = '', value = '']) => {
    const found = labels[name] ?? '';
    const isSame = operator.endsWith('~') ? new RegExp(`^(?:${value})$`).test(found) : found === value;
    return isSame !== operator.startsWith('!');
  });
}

test('PirogueErrors compares failures with the requests of callers: probes and documented answers do not count', () => {
  const [failures = '', requests = '', ...others] = every(ruleOf('PirogueErrors'), /pirogue_http_requests_total(\S*?)\[5m\]/g);
  assert.deepEqual(others, []);
  for (const [route, status, isRequest, isFailure] of [
    ['/payments', '201', true, false],
    ['/payments', '500', true, true],
    ['/payments', '503', true, true],
    ['/payments', '501', true, false],
    ['/payments', '502', true, false],
    ['/health/live', '200', false, false],
    ['/health/ready', '503', false, false],
  ] as const) {
    assert.equal(fits(requests, { route, status }), isRequest, `${route} ${status}`);
    assert.equal(fits(failures, { route, status }), isFailure, `${route} ${status}`);
  }
});

test('an alert notices a process that is not scraped, and that none is', () => {
  const rule = ruleOf('PirogueDown');
  assert.match(rule, /\bup == 0\b/);
  assert.match(rule, /\babsent\(pirogue_build_info\)/);
});

test('PostgreSQL of compose.yaml accepts what the processes may open, and some administrators', () => {
  const compose = read('compose.yaml');
  const processes = every(compose, /^ {4}(<<: \*pirogue)$/gm).length;
  assert.ok(processes >= 3);
  const { database_pool } = readConfig({ DATABASE_POOL: every(compose, /DATABASE_POOL: '(\d+)'/g)[0] });
  const limit = Number(every(compose, /\bmax_connections=(\d+)/g)[0] ?? 100);
  assert.ok(limit >= processes * connectionsOf(database_pool) + 20, `${limit} for ${processes} processes`);
});

test('units, image and compose.yaml set only variables that the program or Node reads', () => {
  const settings =
    read('src/platform/config/config.ts') + readAll('src/platform/config/*') + read('src/platform/config/tracing.ts');
  const units = every(readAll('ops/systemd/*'), /^Environment=(.*)$/gm).flatMap((line) => every(line, /(\w+)=/g));
  const image = every(read('Dockerfile'), /^ENV (.*)$/gm).flatMap((line) => every(line, /(\w+)=/g));
  const compose = every(read('compose.yaml'), /^ +([A-Z_]{4,}): /gm).filter((name) => !name.startsWith('POSTGRES_'));
  const variables = [...units, ...image, ...compose];
  assert.ok(variables.length > 15);
  const launch = read('scripts/run/stripped.mjs') + read('scripts/run/service.json');
  // Node reads TMPDIR (os.tmpdir).
  assert.deepEqual(
    variables.filter((name) => !settings.includes(name) && !launch.includes(name) && name !== 'TMPDIR'),
    [],
  );
});

test('all units keep their data in one folder that they may write, and the socket of their own database in another', () => {
  const units = fs.globSync('ops/systemd/*.service', { cwd: root });
  assert.ok(units.length >= 3);
  for (const name of units) {
    const unit = read(name);
    const set = every(unit, /^Environment=(.*)$/gm).join(' ');
    const [data, temporary] = ['DATA_DIR', 'TMPDIR'].map((variable) => every(set, new RegExp(`\\b${variable}=(\\S+)`, 'g'))[0]);
    const [state, runtime] = ['StateDirectory', 'RuntimeDirectory'].map(
      (key) => every(unit, new RegExp(`^${key}=(\\S+)$`, 'gm'))[0],
    );
    // Everything else is read-only (ProtectSystem=strict), and a folder of PrivateTmp is not reached by other units.
    assert.deepEqual([data, temporary], [`/var/lib/${state}`, `/run/${runtime}`], name);
    assert.deepEqual([state, runtime], ['pirogue', 'pirogue'], name);
    assert.match(unit, /^RuntimeDirectoryPreserve=yes$/m, `${name}: another unit may use it when this one stops`);
  }
});

test('commands by hand get the settings of the units: from the same file, with the same user and folders', () => {
  const [example = ''] = every(read('docs/operations.md'), /^(pirogue\(\) \{\n[\s\S]*?^\})$/gm);
  const unit = read('ops/systemd/pirogue-worker.service');
  const set = every(unit, /^Environment=(.*)$/gm).flatMap((line) => line.split(' '));
  const shared = set.filter((setting) => /^(PROFILE|DATA_DIR|TMPDIR)=/.test(setting));
  assert.equal(shared.length, 3);
  const [user] = every(unit, /^User=(.*)$/gm);
  const wanted = [`--uid=${user}`, ...shared.map((setting) => `--setenv=${setting}`)];
  for (const [file] of unit.matchAll(/^EnvironmentFile=.*$/gm)) wanted.push(`--property=${file}`);
  wanted.push('--property=EnvironmentFile=-/etc/pirogue/owner');
  const words = example.split(/\s+/);
  assert.deepEqual(
    wanted.filter((word) => !words.includes(word)),
    [],
  );
  // The last file wins: the owner's addresses, not those of the service.
  assert.equal(words.filter((word) => word.startsWith('--property=EnvironmentFile')).at(-1), wanted.at(-1));
  assert.ok(words.includes(`${every(unit, /^WorkingDirectory=(.*)$/gm)[0]}/scripts/pirogue.mjs`));
});

test('the image starts the service as the launcher does', () => {
  const { flags, env } = JSON.parse(read('scripts/run/service.json')) as { flags: string[]; env: Record<string, string> };
  const image = read('Dockerfile');
  assert.deepEqual(JSON.parse(every(image, /^ENTRYPOINT (.*)$/gm)[0] ?? ''), ['node', ...flags, 'src/main.ts']);
  const set = every(image, /^ENV (.*)$/gm)
    .join(' ')
    .split(' ');
  for (const [name, value] of Object.entries(env)) assert.ok(set.includes(`${name}=${value}`), name);
  assert.match(image, /^COPY scripts\/run .\/scripts\/run$/m);
  assert.match(read('.dockerignore'), /^!scripts\/run$/m);
});

test('the image has the pirogue command', () => {
  const image = read('Dockerfile');
  const [linked = ''] = every(image, /ln -s \/opt\/pirogue\/(\S+) \/usr\/local\/bin\/pirogue\b/g);
  assert.equal(every(image, /^COPY (scripts\/run) /gm)[0], path.dirname(linked));
  // Reached by a link, from any folder, with the Node of the image first in PATH.
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pirogue-image-'));
  fs.symlinkSync(path.join(root, linked), path.join(folder, 'pirogue'));
  const env = { ...process.env, PATH: `${path.dirname(process.execPath)}${path.delimiter}${process.env.PATH}` };
  const { status, stdout, stderr } = spawnSync(path.join(folder, 'pirogue'), ['--version'], {
    cwd: folder,
    env,
    encoding: 'utf8',
  });
  fs.rmSync(folder, { recursive: true });
  assert.deepEqual([status, stdout.trim(), stderr], [0, JSON.parse(read('package.json')).version, '']);
  assert.match(read('docs/operations.md'), /docker compose exec api pirogue /);
});

test('units run in production and are started again for as long as it takes; no dependency runs a script at its installation', () => {
  for (const name of ['pirogue-api@.service', 'pirogue-worker.service']) {
    const unit = read(`ops/systemd/${name}`);
    assert.match(unit, /^Environment=PROFILE=production$/m, name);
    assert.match(unit, /^\[Unit\][^[]*^StartLimitIntervalSec=0$/m, name);
  }
  for (const name of fs.globSync('ops/systemd/*.service', { cwd: root })) {
    const unit = read(name);
    for (const line of ['NoNewPrivileges=yes', 'ProtectSystem=strict', 'ProtectHome=yes', 'CapabilityBoundingSet=']) {
      assert.ok(unit.split('\n').includes(line), `${name} lacks ${line}`);
    }
  }
  const installs = every(read('Dockerfile') + read('scripts/run/install.mjs'), /^(RUN npm ci .*|const NPM_CI = .*)/gm);
  assert.equal(installs.length, 2);
  for (const line of installs) assert.match(line, /--ignore-scripts/);
});
