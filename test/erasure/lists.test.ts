import assert from 'node:assert/strict';
import type { Next } from '../../src/providers/adapters/contract.ts';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { accountReply } from '../../src/core/accounts/schema.ts';
import type { Mismatch } from '../../src/core/attempts/schema.ts';
import { beneficiaryReply } from '../../src/core/beneficiaries/schema.ts';
import { customerReply } from '../../src/core/customers/schema.ts';
import { disputeShape } from '../../src/core/disputes/schema.ts';
import type { StoredDetails } from '../../src/core/payments/fields.ts';
import { retrievedPayment } from '../../src/core/payments/schema.ts';
import type { Reading, Tally } from '../../src/core/reconciliation/schema.ts';
import { refundShape, type RefundPart } from '../../src/core/refunds/schema.ts';
import { type Decision, transferReply } from '../../src/core/transfers/schema.ts';
import { TABLES } from '../../src/edge/erasure/catalogue.ts';
import { invoiceReply, type StoredItem } from '../../src/edge/invoices/schema.ts';
import { linkReply } from '../../src/edge/links/schema.ts';
import { isErased, namesOf } from '../../src/kit/personal.ts';
import type { NodeState } from '../../src/platform/nodes/peers.ts';
import type { LaneReport } from '../../src/providers/routing/health/lane.ts';
import { LAYERS } from '../../src/layers.ts';
import { EVENT_TYPES } from '../../src/money/events/catalogue.ts';
import type { Draw } from '../../src/money/settlement/draw.ts';
import type { Split } from '../../src/money/settlement/shares.ts';
import { endpointReply } from '../../src/money/webhooks/schema.ts';
import type { Costs } from '../../src/providers/provider-accounts/schema.ts';
import type { Explanation, Weight } from '../../src/providers/routing/schema.ts';
import { cloneDatabases, type Databases } from '../setup/databases.ts';
import { allLists, type Column, faultsOf, unlistedKeys } from './lists.ts';

/** Every column and every key of stored JSON is in a list of personal data: forgetting one is a failing test. */
const lists = await allLists();
const clients: pg.Client[] = [];
let databases: Databases;
before(async () => {
  databases = await cloneDatabases();
  for (const url of [databases.control, databases.sandbox]) {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    clients.push(client);
  }
});
after(async () => {
  for (const client of clients) await client.end();
  await databases.drop();
});

async function columns(): Promise<Column[]> {
  const found = await Promise.all(
    clients.map((client) =>
      client.query<Column>(
        "select table_name, column_name, udt_name from information_schema.columns where table_schema = 'public'",
      ),
    ),
  );
  return found.flatMap(({ rows }) => rows);
}

describe('the lists and the database', () => {
  test('every column of every table is in a list, and every name in a list is a column', async () => {
    const all = await columns();
    assert.ok(all.length > 400);
    assert.deepEqual(faultsOf(lists, all), []);
  });

  test('a migration that adds or drops a column or a table without updating the lists is detected', async () => {
    const store = clients[1] as pg.Client;
    await store.query('begin');
    await store.query(`
      alter table payments add column member_number text, drop column phone cascade;
      create table loyalty_cards (team_id bigint, customer_id text, email text)`);
    const faults = faultsOf(lists, await columns());
    await store.query('rollback');
    assert.deepEqual(faults.sort(), [
      'loyalty_cards is in no personal.ts',
      'payments.member_number is in no list',
      'payments.phone is listed and is in no table',
    ]);
  });

  test('a JSON column without a list of its keys is detected', async () => {
    const store = clients[1] as pg.Client;
    await store.query('begin');
    await store.query('alter table float_polls alter column error type json using null');
    const faults = faultsOf(lists, await columns());
    await store.query('rollback');
    assert.deepEqual(faults, ['float_polls.error is JSON: its keys have to be listed']);
  });

  test('every column that an erasure sets to null or redacts allows it', async () => {
    const { rows } = await (clients[1] as pg.Client).query<Column & { is_nullable: string }>(
      "select table_name, column_name, udt_name, is_nullable from information_schema.columns where table_schema = 'public'",
    );
    const real = new Map(rows.map((row) => [`${row.table_name}.${row.column_name}`, row]));
    const unfit = [...TABLES].flatMap(([name, { rules = {} }]) =>
      Object.entries(rules).flatMap(([column, { becomes }]) => {
        const found = real.get(`${name}.${column}`);
        const nulled = ['null', 'hash'].includes(becomes);
        const written = ['redacted', 'pseudonym'].includes(becomes);
        const fits = (!nulled || found?.is_nullable === 'YES') && (!written || /^(?:text|json)$/.test(found?.udt_name ?? ''));
        return fits ? [] : [`${name}.${column} ${becomes}`];
      }),
    );
    assert.deepEqual(unfit, []);
  });

  test('each room lists the tables that it writes', () => {
    for (const { rooms } of LAYERS) {
      for (const [room, { writes = [] }] of Object.entries(rooms)) {
        if (room === 'db') continue;
        const listed = lists.filter((list) => list.room === room).flatMap(({ tables }) => Object.keys(tables));
        assert.deepEqual(listed.sort(), [...writes].sort(), room);
      }
    }
  });

  test('the erasure covers every list with personal data', () => {
    const personal = lists.flatMap(({ tables }) =>
      Object.entries(tables).filter(([, { rules = {} }]) =>
        Object.values(rules).some((rule) => isErased(rule) || rule.becomes === 'kept'),
      ),
    );
    assert.deepEqual(
      personal.filter(([name, list]) => TABLES.get(name) !== list).map(([name]) => name),
      [],
    );
  });

  test('an erasure finds all its rows by an index', async () => {
    const { rows } = await (clients[1] as pg.Client).query<{ table: string; columns: string[] }>(`
      select coalesce((select inhparent from pg_inherits where inhrelid = i.indrelid), i.indrelid)::regclass::text as table,
        (select array_agg(coalesce(a.attname, '')::text order by k.n) from unnest(i.indkey::int2[]) with ordinality k(attnum, n)
          left join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum) as columns
      from pg_index i join pg_class c on c.oid = i.indrelid where c.relnamespace in ('public'::regnamespace, 'pirogue_partitions'::regnamespace)`);
    for (const [name, { belongs }] of TABLES) {
      // Mails are kept for a month, and the erasure reads those of the team.
      if (!belongs || belongs.to === 'self' || belongs.to === 'recipient') continue;
      const found = rows
        .filter((index) => index.table === name)
        .map((index) => index.columns.filter((one) => one !== 'team_id')[0]);
      assert.ok(found.includes(belongs.by), `${name} has no index on ${belongs.by}`);
    }
  });
});

/** What each type of event carries. */
const EVENT_SHAPES: Record<string, { properties: object }> = {
  payment: retrievedPayment,
  refund: refundShape,
  transfer: transferReply,
  customer: customerReply,
  beneficiary: beneficiaryReply,
  dispute: disputeShape,
  invoice: invoiceReply,
  link: linkReply,
  account: accountReply,
  webhook: endpointReply,
};

describe('the lists and stored JSON', () => {
  test('the lists contain exactly the fields that an event can carry', () => {
    const listed = new Map(lists.flatMap(({ events = {} }) => Object.entries(events)));
    const types = [...new Set(EVENT_TYPES.map((type) => type.split('.', 1)[0] as string))];
    assert.deepEqual([...listed.keys()].sort(), types.toSorted());
    for (const type of types) {
      const fields = listed.get(type);
      assert.ok(fields);
      assert.deepEqual(namesOf(fields).sort(), Object.keys(EVENT_SHAPES[type]?.properties ?? {}).sort(), type);
    }
  });

  /** One value of each stored shape with all its keys: the type demands them. */
  const STORED: [column: string, value: object][] = [
    [
      'payments.details',
      { items: [], address: {}, shipping: {}, theming: {}, telemetry: {}, metadata: {} } satisfies Required<StoredDetails>,
    ],
    [
      'invoices.items',
      { name: '', description: null, quantity: 1, unit_price_minor: '1', amount_minor: '1' } satisfies Required<StoredItem>,
    ],
    ['payments.split', { type: 'fixed', value: 1 } satisfies Required<Split>],
    ['accounts.split', { type: 'fixed', value: 1 } satisfies Required<Split>],
    ['attempts.action', { kind: '', hint: '', url: '', instructions: {} } satisfies Record<KeyOf<Next>, unknown>],
    ['attempts.mismatch', { amount_minor: '1', currency: '', provider_ref: '', at: '' } satisfies Required<Mismatch>],
    [
      'attempts.decision',
      {
        ...{ at: '', operation: 'collect', channel: '', currency: '', amount: 1, rule: null },
        ...{ by: 'order', draw: null, accounts: [] },
      } satisfies Required<Explanation>,
    ],
    [
      'transfers.decision',
      {
        explanation: {},
        candidates: [],
        tried: [],
        asked: [],
        resent: false,
        recalled: true,
        spent: 0,
        note: null,
      } satisfies Required<Decision>,
    ],
    [
      'refunds.legs',
      {
        ...{ attempt_id: '', amount_minor: 1n, provider_key: '', provider_ref: null, sent_at: null },
        ...{ provider_account: '', status: 'waiting', spent_key: '', resent: true, halted: true },
      } satisfies Required<RefundPart>,
    ],
    ['refunds.draws', { account_id: '', bucket: 'hold', amount_minor: 1n } satisfies Required<Draw>],
    ['disputes.draws', { account_id: '', bucket: 'hold', amount_minor: 1n } satisfies Required<Draw>],
    ['routing_rules.shares', { name: '', weight: 1 } satisfies Required<Weight>],
    ['provider_accounts.costs', { mobile_money: cost(), bank: cost(), card: cost(), payout: cost() } satisfies Required<Costs>],
    [
      'reconciliation_runs.reading',
      {
        ...{ lines: 0, bad: 0, faults: [], pending: 0, other: 0, fees: [], hash: '' },
        ...{ first_at: null, last_at: null },
      } satisfies Required<Reading>,
    ],
    [
      'reconciliation_runs.tallies',
      { verdict: 'matched', flow: 'collect', currency: '', count: 0, sum_minor: 0n } satisfies Required<Tally>,
    ],
    ['abuse_refusals.figures', { block: '', kind: '', amount_minor: '', currency: '', high_minor: '', payments: 0 }],
    ['abuse_refusals.figures', { most: 0, minutes: 0, busiest: 0 }],
    ['node_reports.body', { reaches: [], skew_ms: 0 } satisfies Required<NodeState>],
    ['node_reports.body', { counts: {} as LaneReport['counts'], circuit: null } satisfies Required<LaneReport>],
  ];

  const tables = new Map(lists.flatMap((list) => Object.entries(list.tables)));

  for (const [column, value] of STORED) {
    test(`every key of ${column} (${Object.keys(value).join(', ')}) is in a list`, () => {
      const [table = '', name = ''] = column.split('.');
      const rule = tables.get(table)?.rules?.[name];
      assert.ok(rule?.becomes === 'fields');
      assert.deepEqual(unlistedKeys(value, rule.fields, column), []);
      assert.deepEqual(unlistedKeys({ ...value, planted: 1 }, rule.fields, column), [`${column}.planted`]);
    });
  }

  test('every list of keys of a stored column is compared with its type', () => {
    const compared = new Set(STORED.map(([column]) => column));
    const keyed = [...tables].flatMap(([name, { rules = {} }]) =>
      Object.entries(rules).flatMap(([column, rule]) => (rule.becomes === 'fields' ? [`${name}.${column}`] : [])),
    );
    assert.deepEqual(keyed.toSorted(), [...compared].sort());
  });
});

/** The keys of all members of a union. */
type KeyOf<T> = T extends unknown ? keyof T : never;

function cost() {
  return { percent_hundredths: 0, fixed_minor: 0 };
}
