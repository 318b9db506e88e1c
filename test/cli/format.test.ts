import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { csvLine } from '../../src/kit/csv.ts';
import { TableBlocked } from '../../src/platform/db/lock-tries.ts';
import { exitCodeOf, Failure, failureText, UsageFailure } from '../../src/program/cli/failure.ts';
import { durationText, moneyText } from '../../src/program/cli/format.ts';
import { jsonText, printable, shownText } from '../../src/program/cli/output.ts';
import { showProgress } from '../../src/program/cli/progress.ts';

describe('amounts', () => {
  const cases: [number | bigint, string, string][] = [
    [0, 'XAF', '0 XAF'],
    [999, 'XAF', '999 XAF'],
    [2_500_000, 'XAF', '2,500,000 XAF'],
    [250.55, 'XAF', '250.55 XAF'],
    [2500.5, 'NGN', '2,500.50 NGN'],
    [-1_000, 'GHS', '-1,000.00 GHS'],
    [-100_000n, 'XOF', '-1,000 XOF'],
    [900_719_925_474_099n, 'NGN', '9,007,199,254,740.99 NGN'],
    [5n, 'USD', '0.05 USD'],
    // Balances that are larger than any payment.
    [9_007_199_254_741, 'XAF', '9,007,199,254,741 XAF'],
    [-50_000_000_000_000, 'NGN', '-50,000,000,000,000.00 NGN'],
  ];
  for (const [amount, currency, text] of cases) test(text, () => assert.equal(moneyText(amount, currency), text));
});

describe('durations', () => {
  const cases: [number, string][] = [
    [8, '8 ms'],
    [1_000, '1 s'],
    [90_000, '90 s'],
    [30 * 60_000, '30 min'],
    [25 * 3_600_000, '25 h'],
    [48 * 3_600_000, '2 d'],
    [366 * 86_400_000, '366 d'],
    [86_399_000, '23 h 59 min 59 s'],
    [121_000, '2 min 1 s'],
  ];
  for (const [ms, text] of cases) test(text, () => assert.equal(durationText(ms), text));
});

test('a line of CSV is quoted; text that a spreadsheet would evaluate gets an apostrophe, numbers do not', () => {
  const cells = [
    'a',
    'b,c',
    'say "x"',
    '=1+1',
    '+237650000000',
    '-5.00',
    -5,
    '-x',
    '@SUM(A1)',
    '\tx',
    '\r=1',
    '\n=1',
    null,
    true,
    { a: 1 },
  ];
  assert.equal(
    csvLine(cells),
    `a,"b,c","say ""x""",'=1+1,+237650000000,-5.00,-5,'-x,'@SUM(A1),'\tx,"'\r'=1","'\n'=1",,true,"{""a"":1}"\n`,
  );
});

test('no part of a text is a formula to a spreadsheet that splits at semicolons, as in French', () => {
  const hostile = ["Awa;=HYPERLINK('http://evil.example';'x');", 'a\t+1+1', 'a\r\n-1+1', '＝1+1', 'a;b', 'a; "=1+1'];
  assert.equal(csvLine(hostile), `Awa;'=HYPERLINK('http://evil.example';'x');,a\t'+1+1,"a\r\n'-1+1",'＝1+1,a;b,"a;' ""=1+1"\n`);
  // Split at semicolons, tabs and lines as well as at commas, no cell begins like a formula.
  for (const cell of csvLine(hostile).split(/[;,\t\r\n]/)) assert.doesNotMatch(cell, /^[" ]*[=+\-@＝＋－＠]/);
});

test('text from outside cannot control the terminal', () => {
  assert.equal(printable('a\u001b[2Jb\nc\u202ed é 😀'), 'a\ufffd[2Jb\ufffdc\ufffdd é 😀');
});

test('nor can it in JSON and in CSV on a terminal, and both stay what they are for a program', () => {
  const hostile = 'a\u001b[2Jb\u009b2Jc\u202ed\u007f é';
  const text = jsonText({ hostile }, 2);
  assert.deepEqual(JSON.parse(text), { hostile });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: none of these may be there
  assert.doesNotMatch(text, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
  const csv = csvLine(['1', hostile, 'two\nlines']);
  assert.equal(shownText(csv, false), csv);
  assert.equal(shownText(csv, true), '1,a\ufffd[2Jb\ufffd2Jc\ufffdd\ufffd é,"two\nlines"\n');
});

test('a failure is one line with what to do; a wrong value exits with 2, everything else with 1', async () => {
  assert.equal(await failureText(new Failure('it failed', 'Try again.')), 'pirogue: it failed. Try again.');
  assert.equal(await failureText(new Failure('It\n  failed.', 'Try again.')), 'pirogue: It failed. Try again.');
  assert.equal(await failureText({ code: '53300', message: '' }), 'pirogue: internal error, please report it\n[object Object]');
  assert.deepEqual([new Failure('a', 'b'), new UsageFailure('a', 'b'), new Error('a')].map(exitCodeOf), [1, 2, 1]);
});

const OPERATORS: [string, Error, RegExp][] = [
  ['a full disk', systemError('ENOSPC', 'write'), /^pirogue: a file \(write\) cannot be used: no space is left/],
  ['a folder without rights', systemError('EACCES', 'mkdir', '/b'), /^pirogue: \/b cannot .* may not use it\. Run /],
  ['a read-only disk', systemError('EROFS', 'open', '/b/c'), /^pirogue: \/b\/c .* read-only\. Use a folder /],
  ['a table that is locked', new TableBlocked('a table is locked. End it'), /^pirogue: a table is locked\. End it\.$/],
];

function systemError(code: string, syscall: string, path?: string): Error {
  return Object.assign(new Error(`${code}: not possible, ${syscall}`), { code, syscall, ...(path && { path }) });
}

for (const [what, error, text] of OPERATORS) {
  test(`${what} is one line that says what to do`, async () => {
    const said = (await failureText(error)) ?? '';
    assert.match(said, text);
    assert.doesNotMatch(said, /\n|report it/);
  });
}

test('an error of a socket is not one of a file', async () => {
  assert.match((await failureText(systemError('EACCES', 'listen'))) ?? '', /internal error/);
});

describe('progress', () => {
  function shown(isTTY: boolean, quiet = false) {
    const stream = {
      ...{ isTTY, text: '' },
      write: (text: string) => {
        stream.text += text;
      },
    };
    const clock = { ms: 0 };
    return { stream, clock, progress: showProgress(quiet, stream, () => clock.ms) };
  }

  test('on a terminal one line is updated, at most five times a second, and removed at the end', () => {
    const { stream, clock, progress } = shown(true);
    for (const [ms, step, detail] of [
      [0, 'copying', '0 %'],
      [100, 'copying', '1 %'],
      [250, 'copying', '2 %'],
      [260, 'opening', 'now'],
    ] as const) {
      clock.ms = ms;
      progress.update(step, () => detail);
    }
    progress.end();
    const line = '\r\u001b[2K';
    assert.equal(stream.text, `${line}copying: 0 %${line}copying: 2 %${line}opening: now${line}`);
  });

  test('elsewhere a plain line every ten seconds, and none of a short command', () => {
    const { stream, clock, progress } = shown(false);
    for (let ms = 0; ms <= 25_000; ms += 1_000) {
      clock.ms = ms;
      progress.update('exporting', () => `${ms}`);
    }
    progress.end();
    assert.equal(stream.text, 'exporting: 10000\nexporting: 20000\n');
  });

  test('nothing when a program reads the output', () => {
    const { stream, clock, progress } = shown(true, true);
    clock.ms = 60_000;
    progress.update('copying');
    progress.end();
    assert.equal(stream.text, '');
  });
});
