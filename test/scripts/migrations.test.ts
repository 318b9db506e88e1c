import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkMigrations } from '../../scripts/migrations.ts';
import { RULES } from '../../scripts/migrations/rules.ts';

const RELEASES = ['2e2088015603d1c747167b7b5d519bd0254e3a89'];
const ALONE = '-- migration: no transaction\n';
const CONTRACT = '-- migration: contract, unused since 2e20880\n';

/** For each rule: files that break it, and files that do what it asks for. Several files run in their order. */
const CASES: Readonly<Record<string, { bad: readonly string[][]; good: readonly string[][] }>> = {
  'index-concurrently': {
    bad: [
      ['create index payments_x on payments (x);'],
      [`${ALONE}create index concurrently payments_x on payments (x);`],
      ['create unique index payments_x on payments (x);'],
    ],
    good: [
      [`${ALONE}create index concurrently if not exists payments_x on payments (x) where x is not null;`],
      [`create table fresh (team_id bigint, x text); create index fresh_x on fresh (x); select pirogue_protect('fresh');`],
    ],
  },
  'no-transaction': {
    bad: [
      ['create index concurrently if not exists payments_x on payments (x);'],
      [`${ALONE}create index concurrently if not exists payments_x on payments (x);\nalter table payments add column y text;`],
    ],
    good: [
      [
        `${ALONE}create index concurrently if not exists payments_x on payments (x);\ncreate index concurrently if not exists payments_y on payments (y);`,
      ],
      [`${ALONE}reindex index concurrently payments_status;`],
    ],
  },
  'drop-index-concurrently': {
    bad: [[`${CONTRACT}drop index payments_x;`], [`${ALONE}${CONTRACT}drop index concurrently payments_x;`]],
    good: [[`${ALONE}${CONTRACT}drop index concurrently if exists payments_x;`]],
  },
  partitioned: {
    bad: [
      [`${ALONE}create unique index concurrently if not exists payments_x on payments (x);`],
      ['alter table payments set (fillfactor = 80);'],
      ['alter table payments add constraint payments_x unique using index payments_x;'],
      ['alter table attempts add constraint attempts_x foreign key (team_id, payment_id) references payments not valid;'],
      ['create trigger x after update on postings referencing new table as written for each row execute function f();'],
    ],
    good: [
      [`${ALONE}create unique index concurrently if not exists payments_x on payments (team_id, x);`],
      ['alter table customers set (fillfactor = 80);'],
      ['create trigger x after update on postings referencing new table as written for each statement execute function f();'],
    ],
  },
  'add-column': {
    bad: [
      ['alter table payments add column x uuid default gen_random_uuid();'],
      ['alter table payments add column x text default (clock_timestamp()::text);'],
      ['alter table payments add column x bigint generated always as (amount_minor + 1) stored;'],
      ['alter table payments add column x bigint generated always as identity;'],
      ['alter table payments add column x bigserial;'],
      ['alter table payments add column x text not null;'],
      [`alter table payments add column x text check (x <> '');`],
      ['alter table payments add column x text unique;'],
      ['alter table payments add column x text references teams (id);'],
    ],
    good: [
      ['alter table payments add column x text;'],
      [`alter table payments add column x text not null default 'none', add column y timestamptz default now();`],
      [`alter table payments add column x jsonb not null default '{}'::jsonb;`],
    ],
  },
  'add-constraint': {
    bad: [
      [`alter table payments add constraint x check (x <> '');`],
      ['alter table payments add constraint x unique (x);'],
      ['alter table refunds add constraint x foreign key (payment_id) references payments (id);'],
    ],
    good: [
      [`alter table payments add constraint x check (x <> '') not valid;`, 'alter table payments validate constraint x;'],
      [
        `${ALONE}create unique index concurrently if not exists customers_x on customers (team_id, x);`,
        'alter table customers add constraint customers_x unique using index customers_x;',
      ],
    ],
  },
  'validate-later': {
    bad: [[`alter table payments add constraint x check (x <> '') not valid; alter table payments validate constraint x;`]],
    good: [[`alter table payments add constraint x check (x <> '') not valid;`, 'alter table payments validate constraint x;']],
  },
  'set-not-null': {
    bad: [
      ['alter table payments alter column x set not null;'],
      [
        'alter table payments add constraint x_set check (x is not null) not valid;',
        'alter table payments alter column x set not null;',
      ],
      [
        'alter table payments add constraint x_set check (y is not null) not valid;',
        'alter table payments validate constraint x_set;',
        'alter table payments alter column x set not null;',
      ],
    ],
    good: [
      [
        'alter table payments add constraint x_set check (x is not null) not valid;',
        'alter table payments validate constraint x_set;',
        'alter table payments alter column x set not null;',
      ],
    ],
  },
  'alter-type': {
    bad: [['alter table payments alter column x type bigint;'], ['alter table payments set unlogged;']],
    good: [['alter table payments add column x_long bigint;'], ['alter table customers set (fillfactor = 90);']],
  },
  contract: {
    bad: [
      ['alter table payments drop column x;'],
      ['drop table disputes;'],
      ['alter table payments rename column x to y;'],
      ['alter table payments rename to charges;'],
      ['alter table payments drop constraint x;'],
      ['drop function pirogue_now();'],
      ['alter table payments alter column x drop default;'],
      ['drop trigger payments_search_changed on payments;'],
      ['drop schema pirogue_partitions cascade;'],
      [`${ALONE}drop index concurrently if exists payments_x;`],
    ],
    good: [
      [`${CONTRACT}alter table payments drop column x;`],
      [`${CONTRACT}drop table disputes;`],
      [`alter table payments alter column x set default 'none';`],
      ['create table pg_temp.x (a bigint); drop table x;'].map((sql) =>
        sql.replace('create table pg_temp.x', 'create temp table x'),
      ),
      ['alter index payments_x rename to payments_y;'],
    ],
  },
  'attach-partition': {
    bad: [["alter table grown attach partition events for values from ('2020-01-01') to ('2027-01-01');"]],
    good: [
      [
        `alter table events add constraint in_range check (created_at < '2027-01-01' and created_at is not null) not valid;`,
        'alter table events validate constraint in_range;',
        "alter table grown attach partition events for values from ('2020-01-01') to ('2027-01-01');",
      ],
    ],
  },
  rows: {
    bad: [
      [`update payments set x = 'y';`],
      ['delete from payments where x is null;'],
      ['with gone as (delete from events returning 1) select count(*) from gone;'],
      ['truncate payments;'],
    ],
    good: [
      [`create table fresh (team_id bigint, x text); update fresh set x = 'y'; select pirogue_protect('fresh');`],
      ['create function f() returns void language sql begin atomic update payments set x = 1; end;'],
    ],
  },
  unreadable: {
    bad: [['do $$ begin delete from payments; end $$;']],
    good: [['create function f() returns trigger language plpgsql as $$ begin return null; end $$;']],
  },
  protect: {
    bad: [['create table fresh (team_id bigint primary key);']],
    good: [
      [`create table fresh (team_id bigint primary key); select pirogue_protect('fresh');`],
      [`create table a (team_id bigint); create table b (team_id bigint); select pirogue_protect('a'), pirogue_protect('b');`],
      ['create table events_2027 partition of events for values in (2027);'],
    ],
  },
  'one-strong-lock': {
    bad: [
      ['alter table payments add column x text; alter table refunds add column x text;'],
      [`create trigger t after insert on payments for each row execute function f(); ${CONTRACT}drop trigger t on refunds;`],
      ['alter table refunds add constraint x foreign key (payment_id) references payments (id) not valid;'],
      ['lock table payments; alter table refunds add column x text;'],
    ],
    good: [
      [
        'alter table payments add column x text; alter table payments add column y text;',
        'alter table refunds add column x text;',
      ],
      ['alter table payments add column x text; alter table refunds validate constraint x;'],
    ],
  },
};

function verdictOf(files: readonly string[], kind = 'store') {
  const texts = files.map((text, i): [string, string] => [
    `migrations/${kind}/0${100 + i}_x.sql`,
    `-- Up Migration\n\n${text}\n`,
  ]);
  return checkMigrations(Object.fromEntries(texts), RELEASES);
}

test('each rule has files that break it and files that do not', () => {
  assert.deepEqual(Object.keys(CASES).sort(), Object.keys(RULES).sort());
});

for (const [rule, { bad, good }] of Object.entries(CASES)) {
  for (const files of bad) {
    test(`${rule} rejects ${files.join(' | ').replaceAll('\n', ' ')}`, () => {
      const { faults } = verdictOf(files);
      assert.ok(
        faults.some((fault) => fault.includes(`: ${rule}: `)),
        faults.join('\n') || 'no fault',
      );
    });
  }
  for (const files of good) {
    test(`${rule} accepts ${files.join(' | ').replaceAll('\n', ' ')}`, () => assert.deepEqual(verdictOf(files).faults, []));
  }
}

test('a fault names the file and the line of the statement', () => {
  const { faults } = verdictOf(['alter table payments add column x text;\n\n-- Why.\ndrop table disputes;']);
  assert.ok(
    faults.some((fault) => fault.startsWith('migrations/store/0100_x.sql:6: contract: ')),
    faults.join('\n'),
  );
});

test('an exception with a reason is accepted for its statement only, and printed', () => {
  const allowed = '-- migration: allow rows because at most 200 rows exist\ndelete from teams where x is null;';
  const { faults, exceptions } = verdictOf([`${allowed}\ndelete from teams where y is null;`]);
  assert.deepEqual(exceptions, ['migrations/store/0100_x.sql:4: rows is allowed because at most 200 rows exist']);
  assert.equal(faults.length, 1);
  assert.match(faults[0] ?? '', /:5: rows: /);
});

const MISUSED: readonly (readonly [string, RegExp])[] = [
  ['-- migration: allow rows because nothing is wrong\nalter table payments add column x text;', /needs no exception for rows/],
  ['-- migration: allow rows\ndelete from teams;', /not understood/],
  [
    'alter table payments add column x text;\n-- migration: allow rows because it is the last line',
    /not understood, or before no statement/,
  ],
  ['-- migration: contract, unused since abcdef0\ndrop table disputes;', /abcdef0 is not a release/],
  [
    `${ALONE}create index concurrently if not exists x on payments (x); create index concurrently if not exists y on payments (y);`,
    /semicolon/,
  ],
];
for (const [text, fault] of MISUSED) {
  test(`a directive is rejected: ${fault.source}`, () => assert.match(verdictOf([text]).faults.join('\n'), fault));
}

test('migrations that were applied before the rules are not checked', () => {
  const texts = { 'migrations/store/0078_x.sql': 'drop table payments;', 'migrations/control/0008_x.sql': 'drop table teams;' };
  assert.deepEqual(checkMigrations(texts, RELEASES), { faults: [], exceptions: [] });
  assert.equal(
    verdictOf(['create table fresh (id bigint);'], 'control').faults.length,
    0,
    'control has no rows of many teams to protect',
  );
});
