import { takenBack } from './taken-back.ts';
import type { Clock } from '../../src/kit/clock.ts';
import type { Environment } from '../../src/kit/environment.ts';
import { must, Problem } from '../../src/kit/errors.ts';
import { unpack } from '../../src/kit/packing.ts';
import type { Db, Sql, Tx } from '../../src/kit/sql.ts';
import type { Store } from '../../src/platform/db/stores.ts';

/** What is shown of each table. Journals are shown with their postings. */
const TABLES = {
  payments: 'to_jsonb(t)',
  attempts: 'to_jsonb(t)',
  refunds: 'to_jsonb(t)',
  returns: 'to_jsonb(t)',
  disputes: 'to_jsonb(t)',
  settlement_items: 'to_jsonb(t)',
  events: `to_jsonb(t) - 'id' - 'created_at' || jsonb_build_object('body', encode(body, 'base64'))`,
  audit_entries: `to_jsonb(t) - 'id' - 'tx' - 'created_at'`,
  journals: `jsonb_build_object('kind', kind, 'source_id', source_id, 'subject_id', subject_id, 'postings', (
    select string_agg(concat(debit, ' > ', credit, ' ', amount_minor, ' ', currency), ', ' order by line)
    from postings p where p.team_id = t.team_id and p.journal_id = t.id))`,
} as const;
const KEYS: Partial<Record<string, string>> = {
  settlement_items: `concat(payment_id, ' ', account_id)`,
  events: `concat(resource_id, ' ', lpad(sequence::text, 3, '0'))`,
  audit_entries: `lpad(id::text, 12, '0')`,
  journals: `lpad(id::text, 12, '0')`,
};

type Row = Record<string, unknown>;

const ID = /\b(?:trx|att|rfd|rtn|dsp|evt|cus|req)_(?:test_)?[0-9a-z]{20,}/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)/g;

/** Runs work that it takes back, and tells everything the work wrote for one team: a line for each new row and each changed one. */
export class Written {
  readonly #owner: Db;
  readonly #environment: Environment;
  readonly #team_id: bigint;
  readonly #clock: Clock;
  readonly #names = new Map<string, string>();

  /** @param owner the tables' owner, to whom no policy applies */
  constructor(owner: Db, environment: Environment, team_id: bigint, clock: Clock) {
    this.#owner = owner;
    this.#environment = environment;
    this.#team_id = team_id;
    this.#clock = clock;
  }

  /**
   * @param prepare makes the rows that the work finds
   * @param work gets a store of which every transaction is the one that is taken back; a line tells the problem that it throws
   */
  async by<T>(prepare: (tx: Tx) => Promise<T>, work: (tx: Tx, store: Store, prepared: T) => Promise<unknown>): Promise<string[]> {
    this.#names.clear();
    const lines: string[] = [];
    await takenBack(this.#owner, async (tx) => {
      const prepared = await prepare(tx);
      const before = await this.#rows(tx);
      await work(tx, storeOn(this.#environment, tx), prepared).catch((error: unknown) => {
        if (!(error instanceof Problem)) throw error;
        lines.push(`! ${error.status} ${error.message} ${JSON.stringify(error.details)}`);
      });
      lines.push(...this.#changes(before, await this.#rows(tx)));
    });
    return lines.map((line) => this.plain(line));
  }

  /** The text with names for ids, by the order in which they first appear in one result, and times as distances from now. */
  plain(line: string): string {
    return line
      .replace(ID, (id) => {
        const kind = id.slice(0, 3);
        const count = [...this.#names.values()].filter((name) => name.startsWith(kind)).length;
        if (!this.#names.has(id)) this.#names.set(id, `${kind}.${count + 1}`);
        return must(this.#names.get(id), 'it was just named');
      })
      .replace(TIME, (time) => `now${signed(Date.parse(time) - this.#clock.now())}`);
  }

  async #rows(tx: Tx): Promise<Map<string, Row>> {
    const parts = Object.entries(TABLES).map(
      ([table, shown]) =>
        `select '${table}' as name, ${KEYS[table] ?? 'id'} as key, (${shown}) - 'team_id' as row from ${table} t where team_id = $1`,
    );
    // With a name it is planned once: that takes longer than reading the few rows.
    const statement: Sql = { name: 'written', text: `${parts.join(' union all ')} order by name, key`, values: [this.#team_id] };
    const rows = await tx.all<{ name: string; key: string; row: Row }>(statement);
    return new Map(rows.map(({ name, key, row }) => [`${name} ${key}`, name === 'events' ? opened(row) : row]));
  }

  #changes(before: Map<string, Row>, after: Map<string, Row>): string[] {
    return [...after].flatMap(([key, row]) => {
      const old = before.get(key);
      const changed = Object.entries(row).filter(
        ([name, value]) => JSON.stringify(value) !== JSON.stringify(old?.[name] ?? null),
      );
      if (changed.length === 0) return [];
      const columns = changed.map(([name, value]) => `${name} ${JSON.stringify(value)}`);
      return [`${old ? '~' : '+'} ${/^(?:events|audit|journals)/.test(key) ? key.split(' ')[0] : key}: ${columns.join(', ')}`];
    });
  }
}

/** A store of which every transaction is this one. */
export function storeOn(environment: Environment, tx: Tx): Store {
  const db: Db = {
    all: (statement) => tx.all(statement),
    maybe: (statement) => tx.maybe(statement),
    run: (statement) => tx.run(statement),
    transaction: (work) => work(tx),
  };
  return { environment, db };
}

/** An event with what receivers read. */
function opened({ body, ...row }: Row): Row {
  const { id: _, ...sent } = JSON.parse(unpack(Buffer.from(body as string, 'base64')));
  return { ...row, sent };
}

function signed(ms: number): string {
  return ms === 0 ? '' : ms > 0 ? `+${ms}` : String(ms);
}
