import type { CustomerRow } from '../../src/core/customers/schema.ts';
import { needlesOf, searchText } from '../../src/core/customers/search.ts';
import type { IdPrefix } from '../../src/kit/ids.ts';
import { type Db, fixed, type Fragment, part, sql } from '../../src/kit/sql.ts';

export type Texts = Record<string, string | null>;
export interface Row {
  id: string;
  texts: Texts;
  /** Value of the column that the list is filtered by. */
  filtered: string | boolean;
}

/** A list, and how its rows are written as the service writes them. */
export interface Kind {
  kind: string;
  prefix: IdPrefix;
  texts: readonly string[];
  filter?: { name: string; column: string; values: readonly (string | boolean)[] };
  insert(db: Db, rows: readonly Row[]): Promise<void>;
  update(db: Db, row: Row): Promise<void>;
  remove(row: Row): Promise<void>;
  /** Ids of the rows with the text, newest first. */
  expected(rows: readonly Row[], text: string, filter: Fragment): Promise<string[]>;
}

const timeOf = () => new Date(Date.now() - 86_400_000).toISOString();

/** Columns in which PostgreSQL knows the upper and lower case of ASCII only. */
const WITHOUT_LANGUAGE = ['invoices.number', 'invoices.email', 'links.id', 'invoices.id', 'beneficiaries.id', 'transfers.id'];

/** The database as its owner, and the team with the rows. */
interface Owned {
  owner: Db;
  team: bigint;
}

/** A table whose columns are searched. */
function plainKind(
  { owner, team }: Owned,
  kind: string,
  prefix: IdPrefix,
  texts: readonly string[],
  others: (row: Row) => object,
  filter?: Kind['filter'],
  searched = texts,
): Kind {
  const table = fixed(kind);
  return {
    ...{ kind, prefix, texts, ...(filter ? { filter } : {}) },
    insert: async (db, rows) => {
      const made = rows.map((row) => ({
        team_id: Number(team),
        id: row.id,
        created_at: timeOf(),
        updated_at: timeOf(),
        ...row.texts,
        ...others(row),
      }));
      const columns = fixed(Object.keys(made[0] as object).join(', '));
      await db.run(sql`
        insert into ${table} (${columns}) select ${columns} from json_populate_recordset(null::${table}, ${JSON.stringify(made)}::json)`);
    },
    update: async (db, row) => {
      const columns = Object.keys({ ...row.texts, ...others(row) }).filter(
        (column) => texts.includes(column) || column === 'recipient',
      );
      const set = fixed(columns.map((column) => `${column} = u.${column}`).join(', '));
      await db.run(sql`
        update ${table} t set ${set} from json_populate_record(null::${table}, ${JSON.stringify({ ...row.texts, ...others(row) })}::json) u
        where t.team_id = ${team} and t.id = ${row.id}`);
    },
    remove: async (row) => {
      await owner.run(sql`delete from ${table} where team_id = ${team} and id = ${row.id}`);
    },
    expected: async (_, text, and) => {
      const ascii = /^[ -~]*$/.test(text);
      const found = ['id', ...searched].map((column) => {
        const collation = fixed(ascii || WITHOUT_LANGUAGE.includes(`${kind}.${column}`) ? 'collate "C"' : '');
        return part`coalesce(strpos(lower(${fixed(column)} ${collation}), lower(${text} ${collation})), 0) > 0`;
      });
      const rows = await owner.all<{ id: string }>(sql`
        select id from ${table} where team_id = ${team} and ${and}
          and (${found.reduce((left, right) => part`${left} or ${right}`)}) order by id desc`);
      return rows.map(({ id }) => id);
    },
  };
}

const by = { key_id: 'k', request_id: 'r' };
/** E-mail addresses and phone numbers are unique. */
const profileOf = ({ id, texts }: Row) => ({
  ...{ name: texts.name ?? null, company_name: texts.company_name ?? null },
  ...{
    email: texts.email && `${texts.email}.${id.slice(-16)}`,
    phone: texts.phone && `+${BigInt(`0x${Buffer.from(id.slice(-8)).toString('hex')}`)}`,
  },
});
const textOf = (row: Row) => searchText({ id: row.id, ...profileOf(row) } as CustomerRow);

export function kindsOf(owner: Db, team: bigint): readonly Kind[] {
  const of = { owner, team };
  return [
    plainKind(
      of,
      'links',
      'lnk',
      ['title', 'description', 'reference'],
      ({ texts, filtered }) => ({
        title: texts.title ?? 'T',
        currency: 'XAF',
        status: filtered,
        collect: [],
        event_count: 1,
        ...by,
      }),
      { name: 'status', column: 'status', values: ['active', 'inactive'] },
    ),
    plainKind(
      of,
      'invoices',
      'inv',
      ['number', 'reference', 'name', 'email', 'phone'],
      ({ id, texts, filtered }) => ({
        ...{ currency: 'XAF', amount_minor: 100, allow_partial: false, items: [], customer_id: 'cus_1', event_count: 1 },
        ...{ number: texts.number === null ? null : `${texts.number} ${id}`, status: filtered, ...by },
      }),
      { name: 'status', column: 'status', values: ['paid', 'cancelled'] },
    ),
    plainKind(of, 'beneficiaries', 'ben', ['name', 'email', 'phone', 'account_number', 'reference'], ({ texts }) => ({
      ...{ name: texts.name ?? 'N', channel: 'cm.mtn', type: 'mobile_money', country: 'CM', currency: 'XAF', event_count: 1 },
    })),
    plainKind(
      of,
      'transfers',
      'po',
      ['reference', 'description'],
      ({ id, texts, filtered }) => ({
        ...{
          amount_minor: 100,
          fee_minor: 0,
          currency: 'XAF',
          status: filtered,
          channel: 'cm.mtn',
          provider_key: id,
          stage: 'closed',
          ...by,
        },
        ...{ recipient: { name: texts.reference && [...texts.reference].reverse().join(''), phone: texts.description } },
      }),
      { name: 'status', column: 'status', values: ['succeeded', 'failed'] },
      ['reference', 'description', `(recipient->>'name')`, `(recipient->>'phone')`],
    ),
    {
      kind: 'customers',
      prefix: 'cus',
      texts: ['name', 'email', 'phone', 'company_name'],
      filter: { name: 'blocked', column: 'blocked_at is not null', values: [true, false] },
      insert: async (db, rows) => {
        const made = rows.map((row) => ({
          id: row.id,
          ...profileOf(row),
          blocked_at: row.filtered ? timeOf() : null,
          text: textOf(row),
        }));
        await db.run(sql`
        with made as (
          select * from json_to_recordset(${JSON.stringify(made)}::json)
            as m(id text, name text, email text, phone text, company_name text, blocked_at timestamptz, text text)
        ), written as (insert into customer_search (team_id, customer_id, text) select ${team}, id, text from made)
        insert into customers (team_id, id, name, email, phone, company_name, blocked_at, created_at, updated_at)
        select ${team}, id, name, email, phone, company_name, blocked_at, now(), now() from made`);
      },
      update: async (db, row) => {
        const { name, company_name } = row.texts;
        await db.run(
          sql`update customers set name = ${name}, company_name = ${company_name} where team_id = ${team} and id = ${row.id}`,
        );
        await db.run(sql`update customer_search set text = ${textOf(row)} where team_id = ${team} and customer_id = ${row.id}`);
      },
      remove: async ({ id }) => {
        await owner.transaction(async (tx) => {
          await tx.run(
            sql`update customers set archived_at = now(), name = null, email = null, phone = null where team_id = ${team} and id = ${id}`,
          );
          await tx.run(sql`delete from customer_search where team_id = ${team} and customer_id = ${id}`);
        });
      },
      expected: async (rows, text, filter) => {
        const texts = needlesOf(text);
        const fitting = await owner.all<{ id: string }>(sql`select id from customers where team_id = ${team} and ${filter}`);
        const ids = new Set(fitting.map(({ id }) => id));
        const found = rows.filter((row) => ids.has(row.id) && texts.some((one) => textOf(row).includes(one)));
        return found
          .map(({ id }) => id)
          .sort()
          .reverse();
      },
    },
  ];
}
