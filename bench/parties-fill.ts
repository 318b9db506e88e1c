import type pg from 'pg';
import type { BUCKETS } from '../src/core/balance/schema.ts';
import { idPrefix } from '../src/kit/ids.ts';
import type { Team } from '../src/tenants/teams/schema.ts';
import type { Shop } from '../test/plans/rows.ts';
import type { EndedColumns } from './console-fill.ts';
import type { PaymentColumns } from './fill.ts';

/*
 * Values that filters choose from: one of nearly all rows, some, and rare ones. Those of different columns are independent of each other and of the
 * order of the rows. test/plans/rows.ts draws with the same shares.
 */

/** Share of a rare value: of 10,000,000 rows, 10,000. */
export const RARE = 0.001;
const STEPS = 1_000_000;
const BUCKET: (typeof BUCKETS)[number] = 'disputed';

type Two = Shop['customer'];

/**
 * Returns SQL of one of several values.
 * @param by a text in SQL; rows with the same text get the same value
 * @param salt different for columns that are to be independent
 * @param shares SQL of each value with its share; the last has the rest
 */
export function drawn(by: string, salt: number, ...shares: readonly (readonly [value: string, share: number])[]): string {
  let upTo = 0;
  const cases = shares.slice(0, -1).map(([value, share]) => {
    upTo += share * STEPS;
    return `when ${chance(by, salt)} < ${Math.round(upTo)} then ${value}`;
  });
  return `(case ${cases.join(' ')} else ${shares.at(-1)?.[0]} end)`;
}

/** A number below {@link STEPS}. */
const chance = (by: string, salt: number) => `(hashtextextended(${by}, ${salt}) & 9007199254740991) % ${STEPS}`;

/** Half of the rows belong to the common one and a few to the rare one. */
export function owned(by: string, salt: number, { common, rare }: Two, otherwise: string): string {
  return drawn(by, salt, [`'${rare}'`, RARE], [`'${common}'`, 0.5], [otherwise, 1]);
}

const STATUS = (by: string, common: string, some: string, rare: string) =>
  drawn(by, 1, [`'${rare}'`, RARE], [`'${some}'`, 0.05], [`'${common}'`, 1]);
const NAME = (by: string) => drawn(by, 3, [`'Zorro'`, RARE], [`'Awa'`, 0.5], [`'Moussa'`, 1]);
const AMOUNT = (by: string) => drawn(by, 2, ['9000000', RARE], [`${chance(by, 4)} + 100`, 0.3], ['250000', 0.3], ['500000', 1]);

/** Of payments that have all ended. */
export function paymentColumns({ customer, link }: Shop): PaymentColumns {
  return {
    reference: drawn('i::text', 5, [`'order'`, 0.3], [`'order-' || i`, 1]),
    amount_minor: AMOUNT('i::text'),
    status: STATUS('i::text', 'succeeded', 'failed', 'cancelled'),
    name: NAME('i::text'),
    customer_id: owned('i::text', 6, customer, 'null::text'),
    key_id: owned('i::text', 7, link, `'key_of_the_benchmark'`),
  };
}

/** Of their events and journals. */
export function endedColumns({ account }: Shop): EndedColumns {
  const owner = owned('id', 8, account, `'${account.common}'`);
  return {
    type: drawn('id', 9, [`'dispute.created'`, RARE], [`'payment.succeeded'`, 1]),
    kind: drawn('id', 9, [`'transfer.reserved'`, RARE], [`'refund.covered'`, 0.25], [`'payment.succeeded'`, 1]),
    currency: drawn('id', 10, [`'XOF'`, RARE], [`'XAF'`, 1]),
    credit: drawn('id', 15, [`'${BUCKET}'`, RARE], [`'pending:' || ${owner}`, 0.2], [`'pending'`, 1]),
  };
}

const SPAN = `interval '29 days'`;

/** Gives a team so many customers, payment methods, beneficiaries, links, subaccounts and disputes. */
export async function fillParties(live: pg.Client, team: Team, rows: number, shop: Shop): Promise<void> {
  const made = (kind: 'cus' | 'pm' | 'ben' | 'acct' | 'lnk' | 'dsp', named?: Two) => {
    const other = `'${idPrefix(kind, 'live')}' || lpad(to_hex(i), 26, '0')`;
    const id = named ? `case i when 1 then '${named.common}' when 2 then '${named.rare}' else ${other} end` : other;
    return `(select i, i::text as id_text, ${id} as id, now() - ${SPAN} * (1 - i / ${rows + 1}.0) as at from generate_series(1, ${rows}) i) m`;
  };
  const of = (text: string) => live.query(text, [team.id]);
  const name = NAME('id_text');
  await of(`
    insert into customers (team_id, id, name, email, phone, blocked_at, created_at, updated_at)
    select $1::bigint, id, ${name}, 'c' || i || '@shop.example', '+2376' || lpad(i::text, 8, '0'), ${drawn('id_text', 16, ['at', RARE], ['null', 1])}, at, at
    from ${made('cus', shop.customer)}`);
  await of(
    `insert into customer_search select team_id, id, lower(id || ' ' || name || ' ' || email || ' ' || phone) from customers where team_id = $1`,
  );
  await of(`
    insert into payment_methods (team_id, id, customer_id, type, channel, last4, token_sealed, fingerprint, created_at, last_used_at)
    select $1::bigint, id, '${idPrefix('cus', 'live')}' || lpad(to_hex(i), 26, '0'), 'mobile_money', 'cm.mtn', '1234', 'sealed', 'f' || i, at, at
    from ${made('pm')}`);
  await of(`
    insert into beneficiaries (team_id, id, name, channel, type, country, currency, phone, event_count, created_at, updated_at)
    select $1::bigint, id, ${name}, 'cm.mtn', 'mobile_money', 'CM', 'XAF', '+237650000000', 1, at, at from ${made('ben', shop.beneficiary)}`);
  await of(`
    insert into accounts (team_id, id, name, email, active, verification, event_count, created_at, updated_at)
    select $1::bigint, id, ${name}, 'a@shop.example', true, 'pending', 1, at, at from ${made('acct', shop.account)}`);
  await of(`
    insert into links (team_id, id, title, currency, status, collect, key_id, request_id, created_at, updated_at)
    select $1::bigint, id, ${name}, 'XAF', ${STATUS('id_text', 'active', 'inactive', 'expired')}, '{}', 'key_of_the_benchmark', 'req', at, at
    from ${made('lnk', shop.link)}`);
  await of(`
    insert into disputes (team_id, id, payment_id, amount_minor, currency, status, reason, draws, created_at, updated_at)
    select $1::bigint, id, '${idPrefix('trx', 'live')}' || lpad(to_hex(i), 26, '0'), ${AMOUNT('id_text')}, 'XAF', ${STATUS('id_text', 'won', 'lost', 'closed')},
      'fraudulent', '[]', at, at from ${made('dsp', shop.dispute)}`);
}
