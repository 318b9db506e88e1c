import type pg from 'pg';
import { idPrefix } from '../src/kit/ids.ts';
import type { Team } from '../src/tenants/teams/schema.ts';
import { fillEnded } from './console-fill.ts';
import { fillPayments } from './fill.ts';
import { AUDITED, auditOf, deliveriesOf, keysOf, mailsOf } from './messages-fill.ts';
import { drawn, endedColumns, fillParties, owned, paymentColumns, RARE } from './parties-fill.ts';
import type { Shop } from '../test/plans/rows.ts';

/** Payments for each payout, refund, invoice, mail and entry of the audit trail. */
const EACH = 10;
/** Payments for each waiting delivery: fewer than stop the queue of the endpoint. */
const EACH_WAITING = 20;
/** Of what has ended, so that no sweep takes it for its work. */
const ENDED = drawn('id', 1, [`'failed'`, 0.05], [`'succeeded'`, 1]);

/**
 * Gives a team payments that have ended, with all that they leave: books, events, deliveries, keys of requests, released money; and payouts, refunds,
 * invoices, mails, entries of the audit trail, customers and what else is listed. Few columns have one value in all rows (parties-fill.ts).
 * @param live two connections that fill side by side
 */
export async function fillSettled(live: readonly [pg.Client, pg.Client], team: Team, rows: number, shop: Shop): Promise<void> {
  const [one, other] = live;
  const columns = paymentColumns(shop);
  const half = Math.floor(rows / 2);
  await Promise.all([
    fillPayments(one, team, rows, { after: 0, last: half, columns }),
    fillPayments(other, team, rows, { after: half, last: rows, columns }),
  ]);
  await one.query('vacuum (analyze) payments, attempts');
  await Promise.all([
    (async () => {
      await fillMoney(one, team, shop);
      await fillParties(one, team, Math.ceil(rows / EACH), shop);
      await fillMails(one, team, rows);
    })(),
    (async () => {
      await fillEnded(other, team, endedColumns(shop));
      await fillDeliveries(other, team, rows, shop);
    })(),
  ]);
}

async function fillMoney(live: pg.Client, team: Team, shop: Shop): Promise<void> {
  const of = (text: string, ...values: unknown[]) => live.query(text, [team.id, ...values]);
  await of(`
    insert into settlement_items (team_id, payment_id, account_id, currency, share_minor, amount_minor, release_at, released_at)
    select team_id, id, '', currency, captured_minor, 0, completed_at + interval '1 day', completed_at + interval '1 day'
    from payments where team_id = $1 and status = 'succeeded' order by id`);
  const each = (n: number) =>
    `(select *, row_number() over (order by id) as n from payments where team_id = $1) p where n % ${EACH} = ${n}`;
  const drawnFrom = (kind: 'trx' | 'po' | 'rfd' | 'inv') => idPrefix(kind, 'live');
  await of(
    `
    insert into transfers (team_id, id, reference, amount_minor, fee_minor, currency, status, recipient, beneficiary_id, channel, provider_key, stage,
      key_id, request_id, created_at, updated_at, dispatched_at, completed_at)
    select team_id, $3 || substr(id, length($2) + 1), 'payout of ' || id, amount_minor, 0, 'XAF', status, '{"name":"Awa","phone":"+237650000000"}',
      ${owned('id', 11, shop.beneficiary, 'null::text')}, ${drawn('id', 12, [`'cm.orange'`, RARE], [`'cm.mtn'`, 1])}, 'po' || id, 'closed',
      'key_of_the_benchmark', 'req', created_at, created_at, created_at, created_at
    from ${each(0)}`,
    drawnFrom('trx'),
    drawnFrom('po'),
  );
  await of(
    `
    insert into refunds (team_id, id, payment_id, kind, way, legs, amount_minor, currency, status, reason, created_at, updated_at, completed_at)
    select team_id, $3 || substr(id, length($2) + 1), id, 'merchant', 'refund', '[]', 100000, 'XAF', ${ENDED}, 'duplicate', created_at, created_at,
      created_at
    from ${each(1)}`,
    drawnFrom('trx'),
    drawnFrom('rfd'),
  );
  await of(
    `
    insert into invoices (team_id, id, number, status, currency, amount_minor, paid_minor, allow_partial, items, customer_id, name, event_count, key_id,
      request_id, created_at, updated_at)
    select team_id, $3 || substr(id, length($2) + 1), 'INV-' || n, ${drawn('id', 1, [`'cancelled'`, 0.05], [`'paid'`, 1])}, 'XAF', amount_minor,
      amount_minor, false, '[]', ${owned('id', 13, shop.customer, `'cus_of_the_benchmark'`)}, name, 1, 'key_of_the_benchmark', 'req', created_at,
      created_at
    from ${each(2)}`,
    drawnFrom('trx'),
    drawnFrom('inv'),
  );
}

async function fillDeliveries(live: pg.Client, team: Team, rows: number, shop: Shop): Promise<void> {
  const of = (text: string, ...values: unknown[]) => live.query(text, [team.id, ...values]);
  const { common, rare } = shop.endpoint;
  await of(
    `
    insert into delivery_attempts (team_id, id, endpoint_id, event_id, event_type, attempt, succeeded, response_status, duration_ms, created_at)
    select team_id, $3 || substr(id, length($2) + 1), ${drawn('id', 14, [`'${rare}'`, RARE], [`'${common}'`, 1])}, id, type, 1, true, 200, 50,
      created_at from events where team_id = $1 order by id`,
    idPrefix('evt', 'live'),
    idPrefix('whd', 'live'),
  );
  // They subscribe to nothing, so that what is due below adds no deliveries.
  await of(
    `
    insert into webhook_endpoints (team_id, id, url, secret_sealed, events, active, api_version, created_at, updated_at)
    select $1::bigint, id, 'https://shop.example/', 'sealed', '{}', true, '2026-08-01', now(), now() from unnest($2::text[]) id`,
    [common, rare],
  );
  await of(deliveriesOf(common, Math.ceil(rows / EACH_WAITING), 0));
  await of(keysOf(1, rows, 'without a response'));
}

async function fillMails(live: pg.Client, team: Team, rows: number): Promise<void> {
  const of = (text: string) => live.query(text, [team.id]);
  await of(mailsOf(1, Math.ceil(rows / EACH), 'sent'));
  for (let n = 0; n < rows / EACH; n += AUDITED) await of(auditOf(Math.min(AUDITED, Math.ceil(rows / EACH) - n)));
}

const PAYMENT = `insert into payments (team_id, id, amount_minor, captured_minor, currency, status, channel, key_id, request_id, created_at, updated_at,
  expires_at, completed_at)`;
const ID = `substr(md5(random()::text || i), 1, 26)`;

/**
 * Adds so many of each: payments that are open, that have expired, and that have been processing for two days while their provider says nothing
 * else; retained money that is due; payouts and refunds that their provider has not ended; invoices past their due date; stored responses whose time
 * is over; mails to be deleted; entries of the audit trail.
 */
export async function fillDue(live: pg.Client, team: Team, count: number): Promise<void> {
  const prefix = (kind: 'trx' | 'att' | 'po' | 'rfd' | 'inv') => idPrefix(kind, 'live');
  const of = (text: string, ...values: unknown[]) => live.query(text, [team.id, count, ...values]);
  const payments = (status: string, captured: number, expires: string) =>
    of(
      `${PAYMENT}
      select $1::bigint, $3 || ${ID}, 2500000, ${captured}, 'XAF', '${status}', 'cm.mtn', 'key_of_the_benchmark', 'req', now() - interval '2 days',
        now() - interval '2 days', now() ${expires}, ${captured > 0 ? `now() - interval '2 days'` : 'null'}
      from generate_series(1, $2::integer) i returning id`,
      prefix('trx'),
    );
  await payments('pending', 0, `+ interval '1 day'`);
  await payments('pending', 0, `- interval '1 day'`);
  const attempts = (ids: string[], status: 'open' | 'succeeded') =>
    live.query(
      `
      insert into attempts (team_id, id, payment_id, provider, provider_account, channel, status, amount_minor, currency, payer, country, provider_key,
        created_at, submitted_at, next_poll_at, closed_at)
      select $1::bigint, $2 || substr(id, $3::integer), id, 'bank', 'bank', 'cm.mtn', $4, 2500000, 'XAF', '+237650000000', 'CM', 'k' || id,
        now() - interval '2 days', now() - interval '2 days', ${status === 'open' ? `now() - interval '1 minute', null` : `null, now()`}
      from unnest($5::text[]) id`,
      [team.id, prefix('att'), prefix('trx').length + 1, status, ids],
    );
  const idsOf = ({ rows }: pg.QueryResult) => rows.map(({ id }) => String(id));
  await attempts(idsOf(await payments('processing', 0, `- interval '1 day'`)), 'open');
  const paid = idsOf(await payments('succeeded', 2_500_000, `- interval '1 day'`));
  await attempts(paid, 'succeeded');
  await live.query(
    `insert into settlement_items (team_id, payment_id, account_id, currency, share_minor, amount_minor, release_at)
    select $1::bigint, id, '', 'XAF', 2450000, 2450000, now() - interval '1 minute' from unnest($2::text[]) id`,
    [team.id, paid],
  );
  await live.query(
    `insert into balances (team_id, currency, account, guarded, posted_minor) select $1::bigint, 'XAF', name, name = 'available', $2::bigint
    from unnest('{pending,available}'::text[]) name on conflict do nothing`,
    [team.id, 1_000_000_000_000],
  );
  await live.query(
    `
    insert into refunds (team_id, id, payment_id, kind, way, legs, amount_minor, currency, status, reason, draws, event_count, created_at, updated_at,
      submitted_at, next_poll_at)
    select $1::bigint, $2 || substr(id, $4::integer), id, 'merchant', 'refund', json_build_array(json_build_object('attempt_id', $3 || substr(id, $4::integer),
        'amount_minor', '100000', 'provider_key', 'r' || id, 'provider_ref', null, 'status', 'sent', 'sent_at', to_char(now(), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))),
      100000, 'XAF', 'processing', 'duplicate', '[{"account_id":"","bucket":"pending","amount_minor":"100000"}]', 1, now(), now(), now(),
      now() - interval '1 minute'
    from unnest($5::text[]) id`,
    [team.id, prefix('rfd'), prefix('att'), prefix('trx').length + 1, paid],
  );
  await of(
    `
    insert into transfers (team_id, id, reference, amount_minor, fee_minor, currency, status, recipient, channel, provider_account, provider_key, decision,
      stage, key_id, request_id, created_at, updated_at, dispatched_at, next_poll_at)
    select $1::bigint, $3 || ${ID}, 'due-' || random(), 100000, 0, 'XAF', 'processing', '{"name":"Awa","phone":"+237650000000"}', 'cm.mtn', 'bank',
      'due' || i || random(), '{"candidates":["bank"]}', 'dispatched', 'key_of_the_benchmark', 'req', now() - interval '2 days', now(), now() - interval '2 days',
      now() - interval '1 minute'
    from generate_series(1, $2::integer) i`,
    prefix('po'),
  );
  await of(
    `
    insert into invoices (team_id, id, number, status, currency, amount_minor, allow_partial, items, customer_id, name, event_count, key_id, request_id,
      created_at, updated_at, sent_at, overdue_at)
    select $1::bigint, $3 || ${ID}, 'DUE-' || i || random(), 'sent', 'XAF', 100000, false, '[]', 'cus_of_the_benchmark', 'Awa', 1, 'key_of_the_benchmark',
      'req', now() - interval '9 days', now(), now() - interval '9 days', now() - interval '1 day'
    from generate_series(1, $2::integer) i`,
    prefix('inv'),
  );
  const messages = (text: string) => live.query(text, [team.id]);
  // Numbers that no key of a payment has.
  await messages(keysOf(-count, -1, 'expired'));
  await messages(mailsOf(1, count, 'due'));
  for (let n = 0; n < count; n += AUDITED) await messages(auditOf(Math.min(AUDITED, count - n)));
}
