import { AUDITED, auditOf, deliveriesOf, keysOf, mailsOf } from '../../bench/messages-fill.ts';
import { type Db, sql } from '../../src/kit/sql.ts';
import { BUCKETS } from '../../src/core/balance/schema.ts';

/*
 * Work for the sweeps on the rows of a shelf, in every table in which they look for it: many ended rows, many that are due in an hour, and some that
 * are due now. Where a sweep handles hundreds of rows in a round, more are due than a statement may read; where it calls providers, mails or
 * posts, a few rounds.
 */

/** Rows that are due and handled in batches, and rows that are due in an hour. */
export const MANY = 3_000;
/** Rows that are due and handled one by one. */
const FEW = 60;

/** SQL of rows `n` of the team's payments, that belong to nobody else: those of links and customers have counts that must fit. */
const PAYMENTS = `select id, row_number() over (order by id) as n from payments
  where team_id = $1 and customer_id is null and key_id = 'key_1' and status = 'succeeded'`;

const ofStatus = (table: 'payments' | 'attempts', status: string) =>
  `select id, row_number() over (order by id) as n from ${table} where team_id = $1 and status = '${status}'`;

/** SQL of a time: due now for the first rows, in an hour for the next ones, else null. */
const dueAt = (due: number) =>
  `case when n <= ${due} then now() - interval '10 seconds' when n <= ${due + MANY} then now() + interval '1 hour' end`;

/** Changes rows of a table, of which some are due and others later. */
const changed = (table: string, set: string, due: number, where = 'true') => `
  update ${table} t set ${set.replaceAll('DUE_AT', dueAt(due))}
  from (select id, row_number() over (order by id) as n from ${table} where team_id = $1 and ${where}) r
  where t.team_id = $1 and t.id = r.id and n <= ${due + MANY}`;

const inserted = (table: string, columns: string, values: string, rows: number | string) => `
  insert into ${table} (team_id, ${columns}) select $1, ${values} from generate_series(1, ${rows}::integer) n`;

/**
 * Adds the rows of one team.
 * @param rows of each table
 */
export async function fillDue(owner: Db, team_id: bigint, rows: number): Promise<void> {
  const run = (text: string) => owner.run({ text, values: text.includes('$1') ? [Number(team_id)] : [] });
  await run(`insert into balances (team_id, currency, account, guarded, posted_minor)
    select $1, 'XAF', account, false, 100000000 from unnest(array['${BUCKETS.join("','")}']) account on conflict do nothing`);
  // Rows change here as no request could change them: a refund that has ended goes on, and what is searched stays as it is.
  await run('set session_replication_role = replica');
  const endpoints = await owner.all<{ id: string }>(sql`select id from webhook_endpoints where team_id = ${team_id} order by id`);
  const texts = [
    ...ofPayments(),
    ...ofOthers(
      rows,
      endpoints.map(({ id }) => id),
    ),
  ];
  for (const text of texts) await run(text);
  // As if each few had been booked in a transaction of their own, with which a seal ends.
  await run(`update journals j set tx = (tx::text::bigint - n / 250)::text::xid8
    from (select id, row_number() over (order by id desc) as n from journals where team_id = $1) r where j.team_id = $1 and j.id = r.id`);
  await run('set session_replication_role = origin');
  // In transactions for the same reason.
  for (let n = 0; n < rows; n += AUDITED) await run(auditOf(AUDITED));
  await run('vacuum analyze');
}

function ofPayments(): string[] {
  const share = `case when n <= ${2 * MANY} then 100 else 0 end`;
  return [
    // The newest, because the others change status below.
    `insert into settlement_items (team_id, payment_id, account_id, currency, share_minor, amount_minor, release_at, released_at)
      select $1, id, '', 'XAF', 100, ${share}, coalesce(${dueAt(MANY)}, now() - interval '1 day'),
        case when n > ${2 * MANY} then now() end
      from (select id, row_number() over (order by id desc) as n from payments where team_id = $1) p`,
    `update payments t set status = 'pending', expires_at = ${dueAt(2 * FEW)} from (${PAYMENTS}) p
      where t.team_id = $1 and t.id = p.id and n <= ${2 * FEW + MANY / 2}`,
    // Their first tranche is the attempt of the same number.
    `update payments t set status = 'partial', continue_at = ${dueAt(FEW)}, expires_at = now() + interval '1 day' from (${PAYMENTS}) p
      where t.team_id = $1 and t.id = p.id and n <= ${FEW + MANY / 2}`,
    `update attempts t set payment_id = p.id from (${ofStatus('attempts', 'succeeded')}) a join (${ofStatus('payments', 'partial')}) p using (n)
      where t.team_id = $1 and t.id = a.id`,
    `update attempts t set status = 'open', closed_at = null, payment_id = p.id, next_poll_at = ${dueAt(FEW)}
      from (select id, n - ${MANY} as n from (${ofStatus('attempts', 'succeeded')}) a where n > ${MANY}) a join (${PAYMENTS}) p using (n)
      where t.team_id = $1 and t.id = a.id and n <= ${FEW + MANY}`,
    changed('refunds', `status = 'processing', way = 'refund', draws = '[]', next_poll_at = DUE_AT`, FEW),
    // Of payments that exist, and of which there are few attempts.
    `insert into returns (team_id, id, payment_id, attempt_id, amount_minor, currency, state, next_step_at, closed_at, created_at, updated_at)
      select $1, 'ret_' || n, payment_id, id, 100, 'XAF', case when n <= ${FEW + MANY} then 'owed' else 'returned' end, ${dueAt(FEW)},
        case when n > ${FEW + MANY} then now() end, now(), now()
      from (select a.id, payment_id, row_number() over (order by p.id is null or is_one_of_many, a.id desc) as n
        from (select *, count(*) over (partition by payment_id) > 10 as is_one_of_many from attempts where team_id = $1) a
          left join payments p on p.team_id = a.team_id and p.id = a.payment_id) a`,
  ];
}

function ofOthers(rows: number, endpoints: readonly string[]): string[] {
  const old = (due: number, age: string) => `now() - case when n <= ${due} then interval '${age}' else interval '1 hour' end`;
  return [
    changed(
      'transfers',
      `status = 'processing', stage = 'dispatched', provider_account = 'pa_1', decision = '{"candidates":["pa_1"],"tried":[]}', next_poll_at = DUE_AT`,
      FEW,
    ),
    changed('invoices', `status = 'sent', overdue_at = DUE_AT`, 2 * FEW),
    changed('links', `status = 'active', expires_at = DUE_AT`, 2 * FEW),
    `update payment_methods t set last_used_at = now() - interval '500 days'
      from (select id from payment_methods where team_id = $1 order by id limit ${MANY}) r where t.team_id = $1 and t.id = r.id`,
    `insert into erasures (team_id, customer_id, key_id, request_id, payments, tax_id_kept, erased_at, revisit_at, known_sealed)
      select $1, id, 'key_1', 'req_1', 0, false, now() - interval '60 days', case when n <= 10 + ${MANY} then ${dueAt(10)} end,
        case when n > ${MANY + 10} and n <= ${2 * MANY} then 'sealed' end
      from (select id, row_number() over (order by archived_at, id) as n from customers where team_id = $1) c`,
    keysOf(1, MANY, 'expired'),
    keysOf(MANY + 1, rows, 'without a response'),
    inserted('idempotency_answers', 'route, key, created_at, answer', `'POST /payments', n::text, now(), '\\x00'`, rows),
    mailsOf(1, FEW, 'due'),
    mailsOf(1, MANY, 'due later'),
    mailsOf(1, rows, 'sent'),
    inserted('mail_turns', 'name, taken_at', `'turn ' || n, ${old(MANY, '31 days')}`, rows),
    inserted('balance_deltas', 'currency, account, amount_minor', `'XAF', 'fee_income', 1`, 6 * MANY),
    // Ten of each team: PostgreSQL 18 would find the rows of few teams by their key.
    `insert into abuse_windows (team_id, starts_at, charges)
      select $1::bigint + 1000 + n / 10, ${old(MANY, '20 days')} - n * interval '1 ms', 1 from generate_series(1, ${rows}::integer) n`,
    inserted(
      'abuse_blocks',
      'id, kind, value, created_at, expires_at',
      `'blk_' || n, 'payer', 'hash ' || n, now(), ${dueAt(MANY)}`,
      rows,
    ),
    inserted('abuse_payers', 'payer_hash, charges, last_at', `'hash ' || n, '{}', ${old(MANY, '2 days')}`, rows),
    // Of one endpoint most, of each other one some.
    deliveriesOf(endpoints.at(0) ?? '', rows, MANY),
    ...endpoints.slice(1).map((endpoint) => deliveriesOf(endpoint, FEW, MANY)),
  ];
}
