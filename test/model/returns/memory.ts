import type { ReturnRow } from '../../../src/core/obligations/schema.ts';
import type { RefundRow } from '../../../src/core/refunds/schema.ts';
import type { Db, Sql, Tx } from '../../../src/kit/sql.ts';
import { stubbed } from '../stub.ts';

/** A row of `refunds` as it is stored. */
export type StoredRefund = Record<string, unknown> & { id: string; status: string; way: string; legs: RefundRow['legs'] };

/** What a return, its refunds and the ledger are. */
export interface Stored {
  row: ReturnRow;
  refunds: StoredRefund[];
}

interface Posting {
  debit: string;
  credit: string;
  amount_minor: string;
}

/** A store of one return and its refunds, which knows the statements about them; of all else it stores nothing. */
export class Memory {
  stored: Stored;
  /** What journals moved into each account, in units of the return's amount. */
  moved: Record<string, number> = {};
  readonly #other: Tx;
  readonly db: Db;

  constructor(stored: Stored, others: Record<string, readonly object[]>) {
    this.stored = stored;
    this.#other = stubbed(others).tx;
    const all = async (statement: Sql): Promise<unknown[]> => this.#rows(statement) ?? this.#other.all(statement);
    const queries = {
      all: async <Row>(statement: Sql) => (await all(statement)) as Row[],
      maybe: async <Row>(statement: Sql) => (await all(statement))[0] as Row | undefined,
      run: async (statement: Sql) => (this.#wrote(statement) ? 1 : this.#other.run(statement)),
    };
    const tx: Tx = { inTransaction: true, ...queries };
    this.db = { ...queries, transaction: async (work) => work(tx) };
  }

  #rows({ text, values }: Sql): object[] | null {
    const { row, refunds } = this.stored;
    if (/insert into journals/.test(text)) return this.#posted(String(values[0]));
    if (/from returns where/.test(text)) return [row];
    if (/kind = 'giveback' and return_id = /.test(text))
      return refunds.filter(({ status, way, legs }) => status === 'failed' && way !== 'manual' && legs[0]?.status === 'failed');
    if (/from refunds where team_id = \$1 and id = /.test(text)) return refunds.filter(({ id }) => id === values[1]);
    return null;
  }

  #posted(text: string): { n: number }[] {
    const journals = JSON.parse(text) as { n: number; postings: Posting[] }[];
    for (const { debit, credit, amount_minor } of journals.flatMap(({ postings }) => postings)) {
      const units = Number(BigInt(amount_minor) / this.stored.row.amount_minor);
      this.moved[debit] = (this.moved[debit] ?? 0) - units;
      this.moved[credit] = (this.moved[credit] ?? 0) + units;
    }
    return journals.map(({ n }) => ({ n }));
  }

  #wrote({ text, values }: Sql): boolean {
    const { row, refunds } = this.stored;
    if (/insert into refunds/.test(text)) this.stored.refunds.push(inserted(text, values));
    else if (/update refunds set legs/.test(text)) this.#refund(values.at(-1), assigned(text, values));
    else if (/update refunds set resolution/.test(text)) this.#refund(values.at(-1), { resolution: values[0] });
    else if (/update refunds set next_poll_at = \$1, polls/.test(text)) {
      const refund = refunds.find(({ id }) => id === values[2]);
      if (refund?.way === 'refund' && refund.status === 'processing') this.#refund(refund.id, { next_poll_at: values[0] });
    } else if (/update returns set state/.test(text)) this.stored.row = { ...row, ...assigned(text, values) };
    else if (/recheck = recheck or f.some/.test(text)) this.#payoutCalledBack(values);
    else if (/set recheck = true/.test(text)) {
      const [next_step_at, updated_at, , id] = values as [Date, Date, bigint, string];
      const failed = refunds.some((one) => one.id === id && one.status === 'failed' && one.legs[0]?.status === 'failed');
      if (failed && row.refund_id === id) this.stored.row = { ...row, recheck: true, next_step_at, updated_at };
    } else return false;
    return true;
  }

  #refund(id: unknown, change: object): void {
    this.stored.refunds = this.stored.refunds.map((one) => (one.id === id ? { ...one, ...change } : one));
  }

  /** What the statement of `pollNow` does; test/returns runs it. */
  #payoutCalledBack(values: readonly unknown[]): void {
    const { row, refunds } = this.stored;
    const [now, account] = [values[2] as Date, values[3]];
    const failed = refunds.some(
      ({ way, status, legs }) => way === 'payout' && status === 'failed' && legs[0]?.status === 'failed',
    );
    if (row.state !== 'paying_out' && !failed) return;
    const part = refunds.find(({ id }) => id === row.payout_id)?.legs[0];
    const turned = part?.status === 'waiting' && (part.provider_account ?? null) === account && account !== null;
    const dispatched_at = row.state === 'paying_out' && turned ? (row.dispatched_at ?? now) : row.dispatched_at;
    const updated_at = failed ? now : row.updated_at;
    this.stored.row = { ...row, next_step_at: now, recheck: row.recheck || failed, dispatched_at, updated_at };
  }
}

/** Returns the columns that a statement sets to a value. */
function assigned(text: string, values: readonly unknown[]): object {
  const set = text.slice(0, text.indexOf(' where'));
  const pairs = [...set.matchAll(/(\w+) = \$(\d+)/g)].map(([, name, n]) => [name, values[Number(n) - 1]]);
  return parsed(Object.fromEntries(pairs));
}

function inserted(text: string, values: readonly unknown[]): StoredRefund {
  const [names = '', numbers = ''] = [...text.matchAll(/\(([^()]*)\)/g)].map(([, list]) => list);
  const places = numbers.split(',').map((one) => values[Number(one.trim().slice(1)) - 1]);
  const given = Object.fromEntries(names.split(',').map((name, i) => [name.trim(), places[i]]));
  const empty = { polls: 0, resolution: null, submitted_at: null, completed_at: null };
  return { ...empty, ...(parsed(given) as StoredRefund) };
}

/** What is stored as JSON. */
function parsed(change: Record<string, unknown>): object {
  const json = ['legs', 'draws'].filter((name) => typeof change[name] === 'string');
  return { ...change, ...Object.fromEntries(json.map((name) => [name, JSON.parse(change[name] as string)])) };
}
