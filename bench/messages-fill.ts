/*
 * SQL of rows of a team ($1) that its requests, mails and deliveries leave. Numbers of rows are given as the first and the last.
 */

/** Entries that one transaction writes: a seal ends with a transaction. */
export const AUDITED = 250;

/** Keys of requests: expired ones still have their stored responses, which a purge removes; the others have none any more. */
export function keysOf(first: number, last: number, kept: 'expired' | 'without a response'): string {
  const columns = kept === 'expired' ? `'\\x00'::bytea, now() - interval '3 days'` : `null::bytea, now() - interval '1 hour'`;
  return `insert into idempotency_keys (team_id, route, key, request_hash, answer, created_at)
    select $1::bigint, 'POST /payments', n::text, '\\x00', ${columns} from generate_series(${first}, ${last}) n`;
}

/** Mails: due ones are of a kind that the worker deletes without sending it. */
export function mailsOf(first: number, last: number, state: 'due' | 'due later' | 'sent'): string {
  const columns = {
    due: `'dropped', now() - interval '10 seconds', null::timestamptz`,
    'due later': `'receipt', now() + interval '1 hour', null::timestamptz`,
    sent: `'receipt', null::timestamptz, now()`,
  }[state];
  return `insert into mails (team_id, facts, kind, due_at, sent_at) select $1::bigint, '{}', ${columns} from generate_series(${first}, ${last}) n`;
}

/** Deliveries to an endpoint, one each second, of which the last are due in this many seconds. */
export function deliveriesOf(endpoint: string, rows: number, last_s: number): string {
  return `insert into deliveries (team_id, endpoint_id, event_id, due_at)
    select $1::bigint, '${endpoint}', 'evt_' || n, now() + (n - ${rows} + ${last_s}) * interval '1 second' from generate_series(1, ${rows}) n`;
}

/** Entries of the audit trail, up to {@link AUDITED}. */
export function auditOf(rows: number): string {
  return `insert into audit_entries (team_id, created_at, actor, action, resource_id)
    select $1::bigint, now() - interval '1 hour', 'worker', 'a', 'r' from generate_series(1, ${rows}) n`;
}
