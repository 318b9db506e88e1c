// Own process: it changes the environment.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import type { Command } from 'commander';
import { exitCodeOf } from '../../src/program/cli/failure.ts';
import { buildProgram } from '../../src/program/cli/program.ts';
import { pirogue } from './command.ts';

// A command that should have been refused and was not ends at a database that is not there.
for (const store of ['CONTROL', 'SANDBOX', 'LIVE']) process.env[`${store}_DATABASE_URL`] = `postgresql://127.0.0.1:1/${store}`;

/** A command line in this process, since starting one for each case takes its time. */
async function parse(args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const said = { stdout: '', stderr: '' };
  const program = buildProgram({
    writeOut: (text) => {
      said.stdout += text;
    },
    writeErr: (text) => {
      said.stderr += text;
    },
  });
  const end = await program.parseAsync(args, { from: 'user' }).then(() => 0, exitCodeOf);
  return { code: end, ...said };
}

function leaves(command: Command, path: string[] = []): string[][] {
  return command.commands.length === 0 ? [path] : command.commands.flatMap((child) => leaves(child, [...path, child.name()]));
}

const COMMANDS = leaves(buildProgram());

test('the commands are the ones in the reference', () => {
  assert.deepEqual(
    COMMANDS.map((path) => path.join(' ')),
    [
      'start',
      'migrate',
      'teams create',
      'teams list',
      'teams set',
      'teams verify',
      'keys create',
      'keys list',
      'keys deactivate',
      'keys activate',
      'keys revoke',
      'users create',
      'users invite',
      'users roles',
      'users link',
      'users disable',
      'users enable',
      'users clear-factors',
      'users list',
      'approvals off',
      'payments list',
      'payments show',
      'payments refund',
      'payments export',
      'payments create',
      'refunds list',
      'refunds show',
      'transfers list',
      'transfers show',
      'balance',
      'customers list',
      'customers show',
      'providers add',
      'providers set',
      'providers list',
      'providers kinds',
      'providers test',
      'providers disable',
      'providers enable',
      'float list',
      'float set',
      'rules add',
      'rules list',
      'rules test',
      'rules remove',
      'explain',
      'resolve',
      'disputes open',
      'disputes decide',
      'returns list',
      'returns resolve',
      'returns retry',
      'compliance approve',
      'compliance reject',
      'compliance list',
      'abuse on',
      'abuse off',
      'abuse show',
      'blocks add',
      'blocks list',
      'blocks remove',
      'ledger verify',
      'ledger show',
      'ledger export',
      'reconcile',
      'breaks list',
      'breaks settle',
      'audit show',
      'audit verify',
      'listen',
      'trigger',
      'events list',
      'events resend',
      'sandbox fund',
      'sandbox clock advance',
      'accounts verify',
      'secrets status',
      'secrets rotate',
      'secrets prune',
      'backup',
      'restore',
      'archive',
      'partition',
      'doctor',
      'completion',
    ],
  );
});

describe('--help', () => {
  for (const path of [[], ['teams'], ['keys'], ...COMMANDS]) {
    test(`pirogue ${path.join(' ')} --help explains`, async () => {
      const { code, stdout, stderr } = await parse([...path, '--help']);
      assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
      assert.match(stdout, new RegExp(`^Usage: pirogue ${path.join(' ')}`));
      if (COMMANDS.includes(path)) assert.match(stdout, /--json/);
    });
  }

  test('--version prints the version of the package', async () => {
    const { version } = JSON.parse(fs.readFileSync(path.join(import.meta.dirname, '..', '..', 'package.json'), 'utf8'));
    for (const flag of ['--version', '-V']) {
      const { code, stdout, stderr } = await parse([flag]);
      assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: `${version}\n`, stderr: '' });
    }
  });

  test('--help works with invalid settings', async () => {
    const { code, stdout, stderr } = await pirogue(['keys', 'create', '--help'], { PORT: 'wrong' });
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
    assert.match(stdout, /^Usage: pirogue keys create/);
  });
});

describe('usage errors exit with 2, name the error and point to the help', () => {
  const key = ['keys', 'create', '--environment', 'sandbox', '--kind', 'secret'];
  const restricted = ['keys', 'create', '--environment', 'sandbox', '--kind', 'restricted'];
  const team = ['teams', 'create', '--name', 'A', '--email', 'a@b.example'];
  const cases: [string[], RegExp][] = [
    [['teem'], /unknown command 'teem'/],
    [['teams', 'list', 'extra'], /too many arguments/],
    [['teams', 'list', '--colour'], /unknown option '--colour'/],
    [['teams', 'list', '--limit', '0'], /integer from 1/],
    [['start', '--role', 'cook'], /all, api, worker/],
    [['teams', 'create', '--email', 'a@b.example'], /'--name <name>' not specified/],
    [['teams', 'create', '--name', 'A'], /'--email <address>' not specified/],
    [[...team, '--name', '  '], /1 to 200 characters/],
    [[...team, '--name', 'x'.repeat(201)], /1 to 200 characters/],
    [[...team, '--name', 'a\u001b[2Jb'], /no control characters/],
    [[...team, '--email', 'nobody'], /e-mail address/],
    [[...team, '--plan', 'huge'], /starter, growth, scale, unlimited/],
    [[...team, '--currency', 'XXX'], /Use one of XAF/],
    [['teams', 'set', '12'], /nothing to change/],
    [['teams', 'set', 'abc', '--plan', 'growth'], /id of a team is a number/],
    [['teams', 'set', '9223372036854775808', '--plan', 'growth'], /id of a team is a number/],
    [['teams', 'set', '12', '--unique-references', 'maybe'], /on, off/],
    [['teams', 'set', '12', '--api-version', '1999-01-01'], /2026-08-01/],
    [['teams', 'verify', '12'], /'--level <level>' not specified/],
    [['teams', 'verify', '12', '--level', '5'], /0 \(unverified\)/],
    [['teams', 'verify', '12', '--level', '-1'], /0 \(unverified\)/],
    [['teams', 'verify', '12', '--level', '1.5'], /0 \(unverified\)/],
    [['keys', 'create', '--kind', 'secret'], /'--environment <environment>' not specified/],
    [['keys', 'create', '--environment', 'sandbox'], /'--kind <kind>' not specified/],
    [[...key, '--environment', 'test'], /sandbox, live/],
    [[...key, '--kind', 'private'], /public, secret, restricted/],
    [[...key, '--team', '0'], /id of a team is a number/],
    [[...key, '--scopes', 'payment.read'], /--scopes is for restricted keys/],
    [restricted, /needs --scopes/],
    [[...restricted, '--scopes', ','], /list of scopes is empty/],
    [[...restricted, '--scopes', 'payment.read,payments.write'], /payments\.write: unknown scope\. Use some of payment\.read/],
    [[...key, '--allow-ip', '10.0.0.1,10.0.0.0/33'], /10\.0\.0\.0\/33: not an address or range/],
    [[...key, '--allow-ip', 'office'], /office: not an address or range/],
    [[...key, '--allow-ip', 'fe80::1%eth0'], /not an address or range/],
    [[...key, '--allow-ip', ''], /list of addresses is empty/],
    [[...key, '--expires-at', 'tomorrow'], /Use a date/],
    [[...key, '--expires-at', '2031-02-30'], /Use a date/],
    [[...key, '--expires-at', '2031-02-28T25:00:00Z'], /Use a date/],
    [[...key, '--expires-at', '2031-02-28T12:00:00'], /Use a date/],
    [[...key, '--expires-at', '2020-01-01'], /in the past/],
    [['keys', 'revoke'], /missing required argument 'id'/],
    [['keys', 'revoke', 'trx_01h00000000000000000000000'], /not the id of a key/],
    [['listen', '--forward-to', 'ftp://127.0.0.1/hook'], /address such as http:\/\/localhost:3000/],
    [['listen', '--events', 'payment.paid'], /payment\.paid: no such type/],
    [['listen', '--since', 'yesterday'], /time of at most 7d/],
    [['trigger'], /give an event type/],
    [['trigger', 'payment.paid'], /payment\.paid is not an event type/],
    [['trigger', 'dispute.won'], /dispute\.won needs --payment/],
    [['trigger', 'payment.succeeded', '--payment', 'trx_test_1'], /--payment is for dispute\.created/],
    [['trigger', 'dispute.created', '--amount', '5'], /--amount and --team need --payment/],
    [['events', 'list', '--type', 'payment.paid'], /Allowed choices are payment\.created/],
    [['events', 'list', '--limit', '101'], /integer from 1 to 100/],
    [['events', 'resend', 'evt_1'], /not the id of a sandbox event/],
    [['payments', 'create', '--amount', '5', '--currency', 'XAF'], /--email or --phone/],
    [['partition'], /give the tables to partition, or --check/],
    [['partition', 'payment'], /payment cannot be partitioned: give payments, postings/],
    [['partition', 'payments', '--partitions', '7'], /Choose 4, 8, 16, 32/],
    [['partition', 'payments', '--check', '--abandon'], /cannot be used with/],
    [['sandbox', 'clock', 'advance', '1'], /a number with its unit/],
    [['sandbox', 'clock', 'advance', '0s'], /a number with its unit/],
    [['sandbox', 'clock', 'advance', '367d'], /at most a year/],
  ];
  for (const [args, wanted] of cases) {
    test(`pirogue ${args.join(' ').slice(0, 90)}`, async () => {
      const { code, stdout, stderr } = await parse(args);
      assert.deepEqual({ code, stdout }, { code: 2, stdout: '' });
      assert.match(stderr, wanted);
      assert.match(stderr, /^pirogue: [^\n]+ "pirogue[^"]* --help" shows the options\.\n$/, 'on one line');
    });
  }

  test('a key pasted in place of an id is not printed', async () => {
    const { code, stderr } = await parse(['keys', 'revoke', 'sk_test.canary0000000000000000000000000000000000000']);
    assert.equal(code, 2);
    assert.doesNotMatch(stderr, /canary/);
  });

  test('the process exits with 2 after a usage error', async () => {
    const { code, stdout, stderr } = await pirogue(['teams', 'verify', '12', '--level', '5']);
    assert.deepEqual({ code, stdout }, { code: 2, stdout: '' });
    assert.match(stderr, /^pirogue: option '--level <level>' argument '5' is invalid/);
  });

  test('a group without a command shows its help on stderr', async () => {
    const { code, stdout, stderr } = await parse(['teams']);
    assert.deepEqual({ code, stdout }, { code: 2, stdout: '' });
    assert.match(stderr, /Usage: pirogue teams/);
  });
});

test('an invalid setting is reported in one line with exit code 1', async () => {
  const { code, stdout, stderr } = await pirogue(['teams', 'list'], { PORT: 'wrong' });
  assert.deepEqual({ code, stdout }, { code: 1, stdout: '' });
  assert.match(stderr, /^pirogue: PORT=wrong cannot be used: .*\n$/);
});

describe('docs/cli.md', () => {
  const read = (name: string) => fs.readFileSync(path.join(import.meta.dirname, '..', '..', 'docs', name), 'utf8');
  const page = read('cli.md');
  const names = COMMANDS.map((words) => words.join(' '));
  const begins = (text: string) => (name: string) => text === name || text.startsWith(`${name} `);

  test('has every command; those of routing are on the page of routing', () => {
    const code = [...page.matchAll(/`([^`\n]+)`/g)].map(([, text]) => text as string);
    const routing = read('routing.md');
    const missing = names.filter((name) => !code.some((text) => begins(text)(name)) && !routing.includes(`pirogue ${name}`));
    assert.deepEqual(missing, []);
  });

  test('has no command that does not exist, and no option that its command lacks', () => {
    const cells = [...page.matchAll(/^\| (`.*?`) \| /gm)].map(([, cell]) => cell as string);
    const shown = cells.flatMap((cell) =>
      [...cell.matchAll(/`([^`]+)`/g)].map(([, text]) => (text as string).replaceAll('\\|', '|')),
    );
    assert.ok(shown.length > 40);
    for (const text of shown.filter((one) => !/^[-[]/.test(one))) {
      const name = names.find(begins(text));
      assert.ok(name, text);
      const command = name
        .split(' ')
        .reduce((at, word) => at.commands.find((child) => child.name() === word) as Command, buildProgram());
      const options = command.options.map(({ long }) => long);
      for (const [option] of text.matchAll(/--[a-z-]+/g)) assert.ok(options.includes(option), `${name} ${option}`);
    }
  });

  test('has every option of the commands about payments and money', () => {
    const section = /## Payments and money\n([\s\S]*?)\n## /.exec(page)?.[1] as string;
    const programs = buildProgram().commands.filter((command) =>
      /^(refunds|transfers|balance|customers|payments)$/.test(command.name()),
    );
    const all = programs.flatMap((command) => (command.commands.length > 0 ? command.commands : [command]));
    for (const command of all.filter((one) => one.name() !== 'create')) {
      for (const { long } of command.options) assert.ok(section.includes(long as string), `${command.name()} ${long}`);
    }
  });
});
