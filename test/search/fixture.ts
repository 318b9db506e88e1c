import { paymentLister } from '../../src/core/payments/list.ts';
import type { ListPaymentsQuery } from '../../src/core/payments/schema.ts';
import { SEARCHABLE_PAYMENTS } from '../../src/core/payments/search.ts';
import { Secrets } from '../../src/kit/crypto.ts';
import { newId } from '../../src/kit/ids.ts';
import { jsonText } from '../../src/kit/json.ts';
import { createLog } from '../../src/kit/log.ts';
import { fixed, type Fragment, part, sql } from '../../src/kit/sql.ts';
import { type DbPool, openPool } from '../../src/platform/db/pool.ts';
import { type OpenStores, openStores, type Store } from '../../src/platform/db/stores.ts';
import type { BuildOptions } from '../../src/platform/search/build.ts';
import { searchSweep } from '../../src/platform/search/sweep.ts';
import type { Call } from '../../src/tenants/api/route.ts';
import { asService, cloneDatabases } from '../setup/databases.ts';

export const OPTIONS: BuildOptions = { segment_rows: 64, merged_rows: 256, settled_ms: 60_000, rest: 0, waiting_rows: 2_000 };

export interface Texts {
  reference: string | null;
  description: string | null;
  name: string | null;
  email: string | null;
  phone: string | null;
}

export interface Row extends Texts {
  id: string;
  status: string;
  amount_minor: number;
  customer_id: string | null;
  key_id: string;
  created_at: string;
}

/** A page as the API returns it. */
export interface Listed {
  ids: string[];
  total: number | undefined;
  next: string | undefined;
  previous: string | null | undefined;
  more: boolean | undefined;
}

const BUILD_LIMIT_MS = 120_000;
const silent = createLog({ level: 'silent', format: 'json' });

/** Payments in a sandbox, their lists, and the builder of their index. */
export class Fixture {
  readonly owner: DbPool;
  readonly stores: OpenStores;
  readonly #drop: () => Promise<void>;
  readonly #list = paymentLister({ secrets: new Secrets(Buffer.alloc(32, 7)) });

  private constructor(owner: DbPool, stores: OpenStores, drop: () => Promise<void>) {
    this.owner = owner;
    this.stores = stores;
    this.#drop = drop;
  }

  static async open(): Promise<Fixture> {
    const databases = await cloneDatabases();
    const { control, sandbox, live } = databases;
    const stores = openStores({ control: asService(control), sandbox: asService(sandbox), live: asService(live) }, 4, silent);
    // A statement of a test may insert a hundred thousand rows.
    const owner = openPool({ url: sandbox, size: 2, log: silent, statement_ms: 120_000 });
    return new Fixture(owner, stores, () => databases.drop());
  }

  async close(): Promise<void> {
    await this.owner.close();
    await this.stores.close();
    await this.#drop();
  }

  storeOf(team_id: bigint): Store {
    return this.stores.sandbox.of(team_id);
  }

  /** Inserts payments as the service does: in one statement of their team. */
  async insert(team_id: bigint, rows: readonly Row[]): Promise<void> {
    await this.storeOf(team_id).db.run(sql`
      insert into payments (team_id, id, reference, amount_minor, currency, status, description, name, email, phone, customer_id, key_id,
        request_id, created_at, updated_at, expires_at)
      select ${team_id}, id, reference, amount_minor, 'XAF', status, description, name, email, phone, customer_id, key_id, 'r', created_at,
        created_at, created_at + interval '1 day'
      from json_populate_recordset(null::payments, ${jsonText(rows)}::json)`);
  }

  async round(store: Store = this.stores.sandbox, options: BuildOptions = OPTIONS): Promise<void> {
    await searchSweep(store, [SEARCHABLE_PAYMENTS], options).round();
  }

  /** Makes the team due now, whatever the builder waits for, and runs a round. */
  async roundNow(team_id: bigint, store?: Store, options?: BuildOptions): Promise<void> {
    await this.owner.run(sql`
      insert into search_builds (team_id, kind, due_at) values (${team_id}, 'payments', now())
      on conflict (team_id, kind) do update set due_at = now()`);
    await this.round(store, options);
  }

  /** Builds until nothing is left to build. Transactions of other tests on the same server can delay it. */
  async build(team_id: bigint, options = OPTIONS): Promise<void> {
    const deadline = performance.now() + BUILD_LIMIT_MS;
    while (!(await this.#isBuilt(team_id, options))) {
      await this.roundNow(team_id, undefined, options);
      if (performance.now() > deadline) throw new Error(`not built: ${await this.state(team_id)}`);
    }
  }

  async #isBuilt(team_id: bigint, { segment_rows }: BuildOptions): Promise<boolean> {
    const rows = await this.owner.all(sql`
      select 1 from search_changed where team_id = ${team_id}
      union all
      (select 1 from payments where team_id = ${team_id} and id > coalesce((
        select max(last_id) from search_segments where team_id = ${team_id}), '') offset ${segment_rows - 1} limit 1)`);
    return rows.length === 0;
  }

  async state(team_id: bigint): Promise<string> {
    const rows = await this.owner.all(sql`
      select (select count(*)::integer from search_segments where team_id = ${team_id}) as segments, marked_id, final, next_segment,
        (select count(*)::integer from search_changed where team_id = ${team_id}) as changed
      from search_builds, lateral (select marked_xid is not null as final) f where team_id = ${team_id}`);
    return JSON.stringify(rows);
  }

  /** @param store another view on the store of the team */
  async list(
    team_id: bigint,
    query: ListPaymentsQuery,
    kind: 'secret' | 'public' = 'secret',
    of?: { customer_id: string },
    store: Store = this.storeOf(team_id),
  ): Promise<Listed> {
    const caller = { team: { id: team_id }, store, kind };
    const { body } = await this.#list({ query, caller, at: Date.now() } as unknown as Call<unknown, ListPaymentsQuery>, of);
    const { items, meta } = body as { items: { id: string }[]; meta: Record<string, unknown> };
    return {
      ids: items.map(({ id }) => id),
      total: meta.total as number | undefined,
      next: meta.next_cursor as string | undefined,
      previous: meta.prev_cursor as string | null | undefined,
      more: meta.has_more as boolean | undefined,
    };
  }

  /** Reads all payments that contain the text, without an index and with other functions. Newest first. */
  async expected(team_id: bigint, text: string, kind: 'secret' | 'public', and: Fragment = part`true`): Promise<string[]> {
    const columns = ['id', 'reference', ...(kind === 'secret' ? ['description', 'name', 'email', 'phone'] : [])];
    const ascii = fixed(/^[ -~]*$/.test(text) ? 'collate "C"' : '');
    const found = columns.map(
      (column) => part`coalesce(strpos(lower(${fixed(column)} ${ascii}), lower(${text} ${ascii})), 0) > 0`,
    );
    const rows = await this.owner.all<{ id: string }>(sql`
      select id from payments where team_id = ${team_id} and ${and}
        and (${found.reduce((left, right) => part`${left} or ${right}`)}) order by id desc`);
    return rows.map(({ id }) => id);
  }
}

export function paymentId(at: number): string {
  return newId('trx', 'sandbox', at);
}
