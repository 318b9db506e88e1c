import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { NORMAL_FORMAT } from '../../src/providers/adapters/statement.ts';
import { statement as wallet } from '../../src/providers/adapters/pawapay/statement.ts';
import { type CsvRecord, CsvReader } from '../../src/core/reconciliation/csv.ts';
import { type Judged, readerOf } from '../../src/core/reconciliation/lines.ts';

/** The file in pieces of every length, which all have to say the same. */
function read(text: string): CsvRecord[] {
  const inTranches = (size: number) => {
    const reader = new CsvReader();
    const records: CsvRecord[] = [];
    for (let at = 0; at < text.length; at += size) records.push(...reader.push(text.slice(at, at + size)));
    return [...records, ...reader.end()];
  };
  const whole = inTranches(Math.max(1, text.length));
  for (const size of [1, 2, 3, 5, 17]) assert.deepEqual(inTranches(size), whole, `in pieces of ${size}`);
  return whole;
}

const fields = (text: string) => read(text).map((record) => ('fields' in record ? record.fields : record.fault));

describe('CSV', () => {
  const cases: [string, string, (string[] | string)[]][] = [
    [
      'lines',
      'a,b\n1,2\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'no line end at the end',
      'a,b\n1,2',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'CRLF',
      'a,b\r\n1,2\r\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'CRLF at the very end of a quoted field',
      '"a",b\r\n1,"2"\r\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'empty lines are none',
      'a,b\n\n\r\n1,2\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'quotes with separators, quotes and line ends',
      'a,b\n"x,""y""\nz",2\n',
      [
        ['a', 'b'],
        ['x,"y"\nz', '2'],
      ],
    ],
    [
      'semicolons',
      'a;b\n1,5;2\n',
      [
        ['a', 'b'],
        ['1,5', '2'],
      ],
    ],
    [
      'tabs',
      'a\tb\n1\t2\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'empty fields',
      'a,b\n,\n"",\n',
      [
        ['a', 'b'],
        ['', ''],
        ['', ''],
      ],
    ],
    ['a quote inside a field costs its line', 'a,b\n1"2,3\n4,5\n', [['a', 'b'], 'a quote inside an unquoted field', ['4', '5']]],
    ['something behind a quote too', 'a,b\n"1"2,3\n4,5\n', [['a', 'b'], 'text after a closing quote', ['4', '5']]],
    ['a quote that is never closed too', 'a,b\n"1,3\n4,5\n', [['a', 'b'], 'a quote is never closed', ['4', '5']]],
    ['nothing', '', []],
  ];
  for (const [what, text, wanted] of cases) {
    test(what, () => assert.deepEqual(fields(text), wanted));
  }

  test('line numbers are those of the file, also after a field that contains line breaks', () => {
    assert.deepEqual(
      read('a\n"1\n2"\n3\n').map(({ line }) => line),
      [1, 2, 4],
    );
  });

  test('a line without a line break is reported and not buffered: memory is bounded', () => {
    const reader = new CsvReader();
    reader.push('a,b\n');
    const records: CsvRecord[] = [];
    for (let i = 0; i < 100; i++) records.push(...reader.push('x'.repeat(1_000)));
    assert.ok(records.length > 0);
    assert.ok(records.every((record) => 'fault' in record && /too long/.test(record.fault)));
    assert.deepEqual([...reader.push('\n1,2\n'), ...reader.end()].filter((record) => 'fields' in record).length, 1);
  });

  test('an unclosed quote in a long file costs one line', () => {
    const long = Array.from({ length: 2_000 }, (_, i) => `${i},word`).join('\n');
    const records = read(`a,b\n"1,2\n${long}\n`);
    assert.deepEqual([records.length, records.filter((record) => 'fault' in record).map(({ line }) => line)], [2_002, [2]]);
  });

  test('an unclosed quote is reported while the file is read, and not at its end: memory is bounded', () => {
    const reader = new CsvReader();
    const records = [...reader.push('a,b\n"1,2\n'), ...reader.push('3,4\n'.repeat(5_000))];
    assert.deepEqual([records.length, records.filter((record) => 'fault' in record).map(({ line }) => line)], [5_002, [2]]);
  });

  test('line numbers are those of the file also after a line that is too long', () => {
    const reader = new CsvReader();
    const records = [...reader.push(`a,b\n${'x'.repeat(20_000)}`), ...reader.push('\n1,2\n'), ...reader.end()];
    assert.deepEqual(
      records.map(({ line }) => line),
      [1, 2, 3],
    );
  });
});

const HEAD = ['type', 'key', 'reference', 'amount', 'currency', 'fee', 'at', 'status'];
const RIGHT = {
  type: 'collect',
  key: 'k',
  reference: 'r',
  amount: '10.5',
  currency: 'XAF',
  fee: '1',
  at: '2026-03-10T12:00:00+01:00',
  status: 'succeeded',
};

const NOW = Date.parse('2026-03-11T00:00:00Z');

function judge(changes: Partial<typeof RIGHT>): Judged {
  const reader = readerOf(HEAD, undefined, NOW);
  return 'fault' in reader ? assert.fail('it is the normal form') : reader(Object.values({ ...RIGHT, ...changes }));
}

describe('lines of the standard format', () => {
  test('the fields of a line are read exactly', () => {
    assert.deepEqual(judge({}), {
      kind: 'line',
      line: {
        ...{ flow: 'collect', key: 'k', reference: 'r', amount_minor: 1_050n, currency: 'XAF', fee_minor: 100n },
        ...{ at: Date.parse('2026-03-10T11:00:00Z'), status: 'succeeded' },
      },
    });
  });

  for (const [changes, fault] of [
    [{ key: '', reference: '' }, /neither key nor reference/],
    [{ key: 'k\u0000' }, /printable ASCII/],
    [{ key: 'k'.repeat(129) }, /more than 128/],
    [{ reference: 'r\u0000' }, /printable ASCII/],
    [{ reference: 'r'.repeat(129) }, /more than 128/],
    [{ amount: '1,000' }, /amount/],
    [{ amount: '0' }, /amount/],
    [{ amount: '1.005' }, /amount/],
    [{ amount: '1e3' }, /amount/],
    [{ amount: '99999999999999' }, /amount/],
    [{ amount: '-10.5' }, /collection is negative/],
    [{ fee: 'some' }, /fee/],
    [{ currency: 'FRF' }, /currency/],
    [{ at: '2026-03-10 12:00:00' }, /no time zone/],
    [{ at: '10/03/2026' }, /time is invalid/],
    [{ at: '2026-02-30T12:00:00Z' }, /time is invalid/],
    [{ at: '0001-01-01T00:00:00Z' }, /before 2000/],
    [{ at: '0000-06-01T00:00:00Z' }, /before 2000/],
    [{ at: '1999-12-31T23:59:59Z' }, /before 2000/],
    [{ at: '2026-03-13T00:00:01Z' }, /in the future/],
    [{ at: '9999-12-31T23:59:59-01:00' }, /in the future/],
    [{ status: 'done' }, /status/],
    // Names that every object inherits.
    [{ status: 'constructor' }, /status/],
    [{ status: '__proto__' }, /status/],
  ] as const) {
    test(`${JSON.stringify(changes).slice(0, 60)} is a bad line`, () => {
      const judged = judge(changes);
      assert.equal(judged.kind, 'bad');
      assert.match(judged.kind === 'bad' ? judged.fault : '', fault);
    });
  }

  for (const type of ['payout', 'refund']) {
    test(`a ${type} is read with and without a minus`, () => {
      const amounts = ['10.5', '-10.5'].map((amount) => judge({ type, amount }));
      assert.deepEqual(
        amounts.map((judged) => judged.kind === 'line' && judged.line.amount_minor),
        [1_050n, 1_050n],
      );
    });
  }

  test('a time from 2000 to two days ahead is read', () => {
    for (const at of ['2000-01-01T00:00:00Z', '2026-03-12T23:59:59Z']) assert.equal(judge({ at }).kind, 'line');
  });

  test('a line of another kind is not an error', () => {
    for (const type of ['top-up', 'constructor', '__proto__'])
      assert.deepEqual(judge({ type, amount: 'x' }), { kind: 'other' }, type);
  });

  test('a line with an extra field is a bad line', () => {
    const reader = readerOf(HEAD, undefined, NOW);
    assert.equal('fault' in reader ? null : reader([...Object.values(RIGHT), 'more']).kind, 'bad');
  });

  test('columns can be in any order and extra ones are allowed; a file without the outcome column is not a statement', () => {
    assert.equal(typeof readerOf(['Note', 'STATUS', 'at', 'currency', 'amount', ' key ', 'type'], undefined, NOW), 'function');
    assert.deepEqual(
      readerOf(
        HEAD.filter((name) => name !== 'status' && name !== 'at'),
        undefined,
        NOW,
      ),
      { fault: 'the first line has no column at, status' },
    );
    assert.deepEqual(
      readerOf(
        HEAD.filter((name) => name !== 'key' && name !== 'reference'),
        undefined,
        NOW,
      ),
      { fault: 'the first line has no column key' },
    );
  });
});

const WALLET = ['Creation Date', 'MSISDN', 'Transaction ID', 'Amount', 'Currency', 'Country', 'MNO', 'Type'];

test('a provider format without statuses does not read a file that has some: its failed lines would count as paid', () => {
  for (const name of ['Status', 'Transaction Status', 'status_code']) {
    const reader = readerOf([...WALLET, name], wallet, NOW);
    assert.match(
      'fault' in reader ? reader.fault : '',
      new RegExp(`^the column ${name.toLowerCase()} .*rename the columns to key, type,`),
    );
  }
  // Columns of the standard format beside them decide.
  const reader = readerOf([...WALLET, 'key', 'at', 'status'], wallet, NOW);
  if ('fault' in reader) assert.fail(reader.fault);
  const own = ['2026-03-10 12:00:00', '', 'k', '5', 'XAF', '', '', 'payout'];
  const judged = reader([...own, 'k', '2026-03-10T12:00:00Z', 'failed']);
  assert.equal(judged.kind === 'line' && judged.line.status, 'failed');
});

test('the format of a provider is read as well as the standard one', () => {
  const reader = readerOf(WALLET, wallet, NOW);
  if ('fault' in reader) assert.fail(reader.fault);
  const judged = reader(['2026-03-10 12:00:00', '237670000000', 'k', '-500', 'XAF', 'CMR', 'MTN', 'Payout']);
  assert.deepEqual(judged.kind === 'line' && [judged.line.flow, judged.line.amount_minor, judged.line.status, judged.line.at], [
    'payout',
    50_000n,
    'succeeded',
    Date.parse('2026-03-10T12:00:00Z'),
  ]);
  assert.deepEqual(reader(['2026-03-10 12:00:00', '', 'k', '5', 'XAF', '', '', 'Fee']), { kind: 'other' });
  assert.equal(reader(['0000-06-01 12:00:00', '', 'k', '5', 'XAF', '', '', 'Payout']).kind, 'bad');
  assert.equal(typeof readerOf(Object.values(NORMAL_FORMAT.columns), wallet, NOW), 'function');
});
