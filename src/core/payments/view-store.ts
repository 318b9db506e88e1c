import { clause, fixed, type Queryable, type Sql, sql } from '../../kit/sql.ts';
import type { AttemptView } from '../attempts/schema.ts';
import { type Stored, withArchived } from './archived-store.ts';
import type { PaymentRow } from './schema.ts';
import { columns, type PaymentRef } from './store.ts';

export type PaymentWithAttempts = PaymentRow & { attempts: AttemptView[] };

/** SQL: the view of the attempt `a`. */
const VIEW = fixed(`json_build_object('id', a.id, 'provider', a.provider, 'channel', a.channel, 'status', a.status,
          'reason', a.reason, 'decision', a.decision, 'created_at', a.created_at)`);

/** SQL: the payment `p` with its attempts. */
const WITH_ATTEMPTS = clause`select ${columns}, coalesce((
        select json_agg(${VIEW} order by a.id)
        from attempts a where a.team_id = p.team_id and a.payment_id = p.id), '[]') as attempts
      from payments p`;

/** Returns payments with their attempts in one round trip: one for each reference, in the same order; undefined when there is none. */
export async function findManyWithAttempts(
  db: Queryable,
  refs: readonly PaymentRef[],
): Promise<(PaymentWithAttempts | undefined)[]> {
  const rows = await db.all<Stored<PaymentWithAttempts>>(withAttempts(refs));
  // Matched by the keys that the database returns, so that no caller receives the payment of another caller.
  const found = new Map((await withArchived(db, rows, VIEW)).map((row) => [`${row.team_id} ${row.id}`, row]));
  return refs.map(({ team_id, id }) => found.get(`${team_id} ${id}`));
}

/**
 * Returns the statement of {@link findManyWithAttempts}. That of a single payment is planned once, because planning it takes longer than
 * reading it. Like other look-ups by one key, it reads more rows until the tables of a new database are analysed for the first time.
 */
function withAttempts(refs: readonly PaymentRef[]): Sql {
  const [first] = refs;
  if (first && refs.length === 1) return sql`${WITH_ATTEMPTS} where team_id = ${first.team_id} and id = ${first.id}`;
  // `offset 0` keeps one lookup for each reference. BY_KEY is not used: a plan that is made while the table is empty may take any index of
  // the team, and would be kept until the table is analysed.
  return sql`
    select found.* from unnest(${refs.map((ref) => ref.team_id)}::bigint[], ${refs.map((ref) => ref.id)}::text[]) wanted(team, payment)
    cross join lateral (${WITH_ATTEMPTS} where team_id = wanted.team and id = wanted.payment offset 0) found`;
}

/** Returns a payment with its attempts. */
export async function findWithAttempts(db: Queryable, team_id: bigint, id: string): Promise<PaymentWithAttempts | undefined> {
  return (await findManyWithAttempts(db, [{ team_id, id }]))[0];
}
