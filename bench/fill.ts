import type pg from 'pg';
import { idPrefix } from '../src/kit/ids.ts';
import type { Team } from '../src/tenants/teams/schema.ts';

const SPAN_MS = 30 * 24 * 3_600_000;
/** Newer than this nothing is made, so that all of it is settled (payments/totals.ts). */
const REST_MS = 600_000;
/** Older than this, an attempt has no number of its payer any more (edge/erasure/sweeps.ts), and no sweep has to remove it while a section is measured. */
const NUMBER_KEPT_MS = 7 * 24 * 3_600_000;

/** The 26 characters of an id made at `at`: ten of time, sixteen that look random (hexadecimal digits are allowed ones). */
const ULID = `${Array.from({ length: 10 }, (_, i) => `substr('0123456789abcdefghjkmnpqrstvwxyz', ((at >> ${45 - 5 * i}) & 31)::integer + 1, 1)`).join(' || ')}
  || left(md5(i::text), 16)`;

/** Columns of a payment in SQL, from `i`, its number. */
export interface PaymentColumns {
  reference: string;
  amount_minor: string;
  status: string;
  name: string;
  customer_id: string;
  key_id: string;
}

const ALIKE: PaymentColumns = {
  reference: `'order-' || i`,
  amount_minor: '2500000',
  status: `'succeeded'`,
  name: `'Awa Ndiaye'`,
  customer_id: 'null::text',
  key_id: `'key_of_the_benchmark'`,
};

/** Which of the payments to make, from the number after the first up to the second, and what varies in them. */
export interface Made {
  after: number;
  last: number;
  columns: PaymentColumns;
}

/** Days over which the payments of a team are made. */
export const SPAN_DAYS = SPAN_MS / 86_400_000;

/** Gives a team of the live store so many payments with one attempt each, evenly over the last 30 days; unless `made` says else, all alike and succeeded. */
export async function fillPayments(
  live: pg.Client,
  team: Team,
  rows: number,
  { after, last, columns }: Made = { after: 0, last: rows, columns: ALIKE },
): Promise<void> {
  await live.query(
    `
    with made as materialized (
      select i, at, ${ULID} as ulid, to_timestamp(at / 1000.0) as moment, ${columns.status} as status, ${columns.amount_minor} as amount_minor
      from (select i, $2::bigint + i * $3::bigint as at from generate_series($7::integer, $4::integer) i) series
    ),
    paid as (
      insert into payments (team_id, id, reference, amount_minor, captured_minor, currency, status, channel, description,
        name, email, phone, callback, details, event_count, customer_id, key_id, request_id, created_at, updated_at, expires_at, completed_at)
      select $1::bigint, $5 || ulid, ${columns.reference}, amount_minor, case status when 'succeeded' then amount_minor else 0 end, 'XAF', status, 'cm.mtn',
        'Two baskets and delivery to Bonapriso', ${columns.name}, 'payer@shop.example', '+237650000000', 'https://shop.example/orders/thanks',
        '{"metadata":{"order":"A-1","cart":[1,2,3],"channel":"web"}}', 3, ${columns.customer_id}, ${columns.key_id}, 'req_' || ulid,
        moment, moment, moment + interval '1 day', moment + interval '20 s'
      from made order by i
    )
    insert into attempts (team_id, id, payment_id, provider, channel, status, amount_minor, currency, payer, payer_hash, country,
      provider_key, provider_ref, created_at, submitted_at, closed_at)
    select $1::bigint, $6 || ulid, $5 || ulid, 'sandbox', 'cm.mtn', status, amount_minor, 'XAF', case when at > $8::bigint then '+237650000000' end,
      case when at <= $8::bigint then md5(ulid) || md5(ulid || 'payer') end, 'CM', 'k' || ulid, 'r' || ulid, moment, moment, moment + interval '20 s'
    from made order by i`,
    [
      team.id,
      Date.now() - REST_MS - SPAN_MS,
      Math.floor(SPAN_MS / rows),
      last,
      idPrefix('trx', 'live'),
      idPrefix('att', 'live'),
      after + 1,
      Date.now() - NUMBER_KEPT_MS,
    ],
  );
}

export async function sampleIds(live: pg.Client, team: Team, count: number): Promise<string[]> {
  const found = await live.query<{ id: string }>('select id from payments where team_id = $1 order by random() limit $2', [
    team.id,
    count,
  ]);
  return found.rows.map(({ id }) => id);
}
