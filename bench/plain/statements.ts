/**
 * Writes payment, key, event and deliveries: one statement, which is its own transaction. It returns a row when it wrote them,
 * and none when the key was there before.
 */
export const CREATE = `
with k as (
  insert into idempotency_keys (team_id, key, request_hash, payment_id) values ($1, $2, $3, $4)
  on conflict do nothing returning payment_id
),
p as (
  insert into payments (team_id, id, reference, amount, currency, description, name, email, phone, customer_id, callback, bearer,
    details, token, created_at, expires_at)
  select $1, payment_id, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18 from k
),
e as (
  insert into events (team_id, id, type, payment_id, body, created_at)
  select $1, $19, 'payment.created', payment_id, $20, $17 from k
),
d as (
  insert into deliveries (event_id, endpoint_id, due_at)
  select $19, endpoint_id, $17 from k cross join unnest($21::integer[]) endpoint_id
)
select payment_id from k`;

const COLUMNS = 'id, reference, amount, currency, status, channel, description, created_at';

/** The payment that a key created. */
export const REPLAY = `
select k.request_hash, p.token, ${COLUMNS.replaceAll(/\w+/g, 'p.$&')}
from idempotency_keys k join payments p on p.team_id = k.team_id and p.id = k.payment_id
where k.team_id = $1 and k.key = $2`;

export const ONE = `
select ${COLUMNS}, settled, reason, details -> 'metadata' as metadata from payments where team_id = $1 and id = $2`;

/** A page by number, each row with the exact total. */
export const PAGE = `
select ${COLUMNS}, (select count(*)::integer from payments where team_id = $1) as total
from payments where team_id = $1 order by id desc limit $2 offset $3`;

/** The total alone, for a page past the end. */
export const TOTAL = 'select count(*)::integer as total from payments where team_id = $1';

export const NEWEST = `select ${COLUMNS} from payments where team_id = $1 order by id desc limit $2`;
export const OLDER = `select ${COLUMNS} from payments where team_id = $1 and id < $3 order by id desc limit $2`;
export const NEWER = `select ${COLUMNS} from payments where team_id = $1 and id > $3 order by id limit $2`;
