import { unpack } from '../../kit/packing.ts';
import { BY_KEY, type Queryable, sql } from '../../kit/sql.ts';
import { ANSWER, type KeyRow } from '../../tenants/api/idempotency-store.ts';
import type { PaymentRow } from '../payments/schema.ts';
import { type Stored, withArchived } from '../payments/archived-store.ts';
import { columns, type PaymentRef } from '../payments/store.ts';
import { ROUTE } from './once.ts';

/** A payment to read, with the Idempotency-Key of its charge, if any. */
export interface Wanted extends PaymentRef {
  key: string | null;
}

/** A payment and its key as they were read. `payment` is absent when it does not exist, `used` when no charge has taken the key. */
export interface Found {
  payment?: PaymentRow | undefined;
  used?: KeyRow | undefined;
}

interface Row extends PaymentRow {
  wanted_team: bigint;
  wanted_key: string | null;
  used: boolean;
  key_hash: Buffer;
  key_resource: string | null;
  key_answer: Buffer | null;
  keyed_at: Date;
}

/** Returns the payments and keys in the order in which they are wanted. */
export async function readPayments(db: Queryable, wanted: readonly Wanted[]): Promise<Found[]> {
  // `offset 0` keeps one lookup for each: the plan is made once, for any number of them.
  const rows = await db.all<Stored<Row>>(sql`
    select w.team as wanted_team, w.key as wanted_key, p.*, k.* from unnest(${wanted.map(({ team_id }) => team_id)}::bigint[],
      ${wanted.map(({ id }) => id)}::text[], ${wanted.map(({ key }) => key)}::text[]) w (team, payment, key)
    cross join lateral (select ${columns} from payments where team_id = w.team and id = w.payment offset 0) p
    left join lateral (
      select true as used, k.request_hash as key_hash, k.resource_id as key_resource, coalesce(a.answer, k.answer) as key_answer,
        k.created_at as keyed_at
      from idempotency_keys k ${ANSWER} where k.team_id = w.team and k.route = ${ROUTE} and k.key = w.key offset 0) k on true${BY_KEY}`);
  // Matched by the keys that the database returns, so that no caller receives the payment of another caller.
  const found = new Map(
    (await withArchived(db, rows)).map((row) => [nameOf({ team_id: row.wanted_team, id: row.id, key: row.wanted_key }), row]),
  );
  return wanted.map((one) => foundOf(found.get(nameOf(one))));
}

function nameOf({ team_id, id, key }: Wanted): string {
  return JSON.stringify([String(team_id), id, key]);
}

function foundOf(row: Row | undefined): Found {
  if (!row) return {};
  const { wanted_team: _, wanted_key: __, used, key_hash, key_resource, key_answer, keyed_at, ...payment } = row;
  if (!used) return { payment };
  const answer = key_answer && unpack(key_answer);
  return { payment, used: { request_hash: key_hash, resource_id: key_resource, answer, created_at: keyed_at } };
}
