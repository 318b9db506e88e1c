import { packWhole, unpack } from '../../kit/packing.ts';
import { type Json, type JsonObject, jsonText } from '../../kit/json.ts';
import { type Fragment, fixed, part, type Queryable, sql, type Tx } from '../../kit/sql.ts';
import type { CustomerRef } from '../../core/customers/store.ts';

/*
 * Erasure covers every table with personal data of a payer, including those of other slices. One module with all tables is
 * easier to keep complete than one in each slice.
 */

// ------------------------------------------------------------------------------------------- the customer
/** Whether the customer has an approved compliance record. */
export async function hasApprovedRecord(db: Queryable, { team_id, id }: CustomerRef): Promise<boolean> {
  const row = await db.maybe(sql`
    select 1 from compliance_records where team_id = ${team_id} and customer_id = ${id} and status = 'approved'`);
  return row !== undefined;
}

/** Deletes the saved payment methods with their vault entries. */
export async function deleteMethods(tx: Tx, { team_id, id }: CustomerRef): Promise<void> {
  await tx.run(sql`delete from payment_methods where team_id = ${team_id} and customer_id = ${id}`);
}

export interface Erasure {
  team_id: bigint;
  customer_id: string;
  key_id: string;
  request_id: string;
  payments: number;
  tax_id_kept: boolean;
  erased_at: Date;
  revisit_at: Date;
}

export async function insertErasure(tx: Tx, row: Erasure): Promise<void> {
  await tx.run(sql`
    insert into erasures (team_id, customer_id, key_id, request_id, payments, tax_id_kept, erased_at, revisit_at)
    values (${row.team_id}, ${row.customer_id}, ${row.key_id}, ${row.request_id}, ${row.payments}, ${row.tax_id_kept},
      ${row.erased_at}, ${row.revisit_at})`);
}

/** Claims erasures that are due to be repeated. Those of a worker that died are due again after the lease. */
export async function claimRevisits(db: Queryable, now: Date, lease_ms: number, limit: number): Promise<CustomerRef[]> {
  return db.all<CustomerRef>(sql`
    update erasures set revisit_at = ${new Date(now.getTime() + lease_ms)}
    where (team_id, customer_id) in (
      select team_id, customer_id from erasures where revisit_at <= ${now} order by revisit_at limit ${limit} for update skip locked
    ) returning team_id, customer_id as id`);
}

/**
 * Schedules the next repetition of an erasure. There is none after the last one, unless a payment of the customer is not
 * final (a charge would store an IP address, a message and a number again) or a number is still needed.
 * @param last_ms time of the last repetition, after the erasure
 * @param working_ms delay from now, while a payment is not final or a number is needed
 */
export async function planRevisit(
  tx: Tx,
  { team_id, id }: CustomerRef,
  now: Date,
  { last_ms, working_ms }: { last_ms: number; working_ms: number },
): Promise<void> {
  await tx.run(sql`
    update erasures set revisit_at = case
      when erased_at + ${last_ms}::float8 * interval '1 ms' > ${now} then erased_at + ${last_ms}::float8 * interval '1 ms'
      when exists (
        select 1 from payments p
        where p.team_id = ${team_id} and p.customer_id = ${id} and p.status in ('pending', 'processing', 'partial')
      ) or exists (
        select 1 from payments p join attempts a on a.team_id = p.team_id and a.payment_id = p.id
        where p.team_id = ${team_id} and p.customer_id = ${id} and a.payer is not null
      ) then ${new Date(now.getTime() + working_ms)}
    end where team_id = ${team_id} and customer_id = ${id}`);
}

// --------------------------------------------------------------------------------------------- payments
/** Personal data of the payer on a payment. */
export interface Snapshot {
  id: string;
  name: string | null;
  email: string | null;
  phone: string | null;
  reference: string | null;
  description: string | null;
  callback: string | null;
  message: string | null;
  details: JsonObject | null;
}

/** Returns the customer's next payments, locked until the transaction ends, in the order in which all code locks payments. */
export function lockSnapshots(tx: Tx, customer: CustomerRef, after: string, limit: number): Promise<Snapshot[]> {
  return tx.all<Snapshot>(sql`
    select id, name, email, phone, reference, description, callback, message, details from payments
    where team_id = ${customer.team_id} and customer_id = ${customer.id} and id > ${after}
    order by id limit ${limit} for update`);
}

export async function writeSnapshots(tx: Tx, team_id: bigint, rows: readonly Snapshot[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.run(sql`
    update payments p set name = u.name, email = u.email, phone = u.phone, reference = u.reference, description = u.description,
      callback = u.callback, message = u.message, details = u.details
    from json_to_recordset(${jsonText(rows)}::json) as u(id text, name text, email text, phone text, reference text,
      description text, callback text, message text, details json)
    where p.team_id = ${team_id} and p.id = u.id`);
}

/** Personal data of the payer on an attempt. */
export interface Trace {
  id: string;
  payer: string | null;
  payer_hash: string | null;
  client_ip: string | null;
  message: string | null;
  action: Json;
  resolution: Json;
}

/**
 * Whether the payer's number is no longer needed: the attempt is closed, none of its money has to be returned, no refund of
 * the payment is open (some providers refund a wallet by a transfer to the number), no evidence waits for a decision, and no
 * further tranche of the payment is charged to the same number.
 */
const RELEASED = fixed(`a.closed_at is not null and not a.giveback and a.mismatch is null and p.status <> 'partial'
  and not exists (select 1 from returns o where o.team_id = a.team_id and o.attempt_id = a.id and o.closed_at is null)
  and not exists (select 1 from refunds r where r.team_id = a.team_id and r.payment_id = a.payment_id
    and r.status in ('pending', 'processing'))`);

export function findTraces(tx: Tx, team_id: bigint, payment_ids: readonly string[]): Promise<(Trace & { released: boolean })[]> {
  return tx.all<Trace & { released: boolean }>(sql`
    select a.id, a.payer, a.payer_hash, a.client_ip, a.message, a.action, a.resolution, (${RELEASED}) as released
    from attempts a join payments p on p.team_id = a.team_id and p.id = a.payment_id
    where a.team_id = ${team_id} and a.payment_id = any(${[...payment_ids]})`);
}

export async function writeTraces(tx: Tx, team_id: bigint, rows: readonly Trace[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.run(sql`
    update attempts a set payer = u.payer, payer_hash = u.payer_hash, client_ip = u.client_ip, message = u.message,
      action = u.action, resolution = u.resolution
    from json_to_recordset(${jsonText(rows)}::json) as u(id text, payer text, payer_hash text, client_ip text, message text,
      action json, resolution json)
    where a.team_id = ${team_id} and a.id = u.id`);
}

export interface OldPayer {
  team_id: bigint;
  id: string;
  payer: string;
}

/** Retention of numbers that refunds are sent to. */
export interface KeptLonger {
  closed_before: Date;
  providers: readonly string[];
}

/**
 * Returns attempts of all customers that closed long ago and still have the payer's number. Their payments are locked:
 * every change of an attempt locks its payment first, and could otherwise write the number back.
 */
export function lockOldPayers(tx: Tx, closed_before: Date, longer: KeptLonger, limit: number): Promise<OldPayer[]> {
  return tx.all<OldPayer>(sql`
    select a.team_id, a.id, a.payer from attempts a join payments p on p.team_id = a.team_id and p.id = a.payment_id
    where a.payer is not null and a.closed_at <= ${closed_before} and ${RELEASED}
      and (a.closed_at <= ${longer.closed_before} or a.status <> 'succeeded' or a.provider <> all(${[...longer.providers]}))
    order by a.closed_at limit ${limit} for update of p skip locked`);
}

/** Replaces the payers' numbers by their hashes. */
export async function forgetPayers(tx: Tx, rows: readonly { team_id: bigint; id: string; payer_hash: string }[]): Promise<void> {
  await tx.run(sql`
    update attempts a set payer = null, payer_hash = u.payer_hash
    from json_to_recordset(${jsonText(rows)}::json) as u(team_id bigint, id text, payer_hash text)
    where a.team_id = u.team_id and a.id = u.id`);
}

// ----------------------------------------------------------------------------- what hangs on the payments
/** Free text of a refund, or the evidence of a dispute. */
export interface Remark {
  id: string;
  message: string | null;
  metadata: Json;
  resolution: Json;
  evidence: Json;
}

export function findRefundRemarks(tx: Tx, team_id: bigint, payment_ids: readonly string[]): Promise<Remark[]> {
  return tx.all<Remark>(sql`
    select id, message, metadata, resolution, null::json as evidence from refunds
    where team_id = ${team_id} and payment_id = any(${[...payment_ids]})`);
}

export async function writeRefundRemarks(tx: Tx, team_id: bigint, rows: readonly Remark[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.run(sql`
    update refunds r set message = u.message, metadata = u.metadata, resolution = u.resolution
    from json_to_recordset(${jsonText(rows)}::json) as u(id text, message text, metadata json, resolution json)
    where r.team_id = ${team_id} and r.id = u.id`);
}

export function findDisputeRemarks(tx: Tx, team_id: bigint, payment_ids: readonly string[]): Promise<Remark[]> {
  return tx.all<Remark>(sql`
    select id, null as message, null::json as metadata, null::json as resolution, evidence from disputes
    where team_id = ${team_id} and payment_id = any(${[...payment_ids]})`);
}

export async function writeDisputeRemarks(tx: Tx, team_id: bigint, rows: readonly Remark[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.run(sql`
    update disputes d set evidence = u.evidence
    from json_to_recordset(${jsonText(rows)}::json) as u(id text, evidence json)
    where d.team_id = ${team_id} and d.id = u.id`);
}

// --------------------------------------------------------------------------------- events and kept answers
export interface StoredEvent {
  id: string;
  body: string;
}

export async function findEvents(tx: Tx, team_id: bigint, resource_ids: readonly string[]): Promise<StoredEvent[]> {
  const rows = await tx.all<{ id: string; body: Buffer }>(sql`
    select id, body from events where team_id = ${team_id} and resource_id = any(${[...resource_ids]})`);
  return rows.map(({ id, body }) => ({ id, body: unpack(body) }));
}

/** Writes the bodies of events. Bodies in older API versions are deleted and generated again from these when needed. */
export async function writeEvents(tx: Tx, team_id: bigint, rows: readonly StoredEvent[]): Promise<void> {
  if (rows.length === 0) return;
  const packed = rows.map(({ id, body }) => ({ id, body: packWhole(body).toString('base64') }));
  await tx.run(sql`
    update events e set body = decode(u.body, 'base64')
    from json_to_recordset(${JSON.stringify(packed)}::json) as u(id text, body text) where e.team_id = ${team_id} and e.id = u.id`);
  // Generating an older body locks the event's row. Only a statement that starts after the update sees what it has written.
  await tx.run(sql`
    delete from event_bodies where team_id = ${team_id} and event_id = any(${rows.map(({ id }) => id)})`);
}

/** Deletes the response bodies of deliveries of the events: a receiver may have echoed the event. */
export async function dropResponses(tx: Tx, event_ids: readonly string[]): Promise<void> {
  await tx.run(sql`
    update delivery_attempts set response_body = null where event_id = any(${[...event_ids]}) and response_body <> ''`);
}

/**
 * Deletes mails to the customer, sent or not. A mail with a delivery attempt may have left a copy behind, or be in progress:
 * it is emptied, and the mail worker deletes it when its lease has expired.
 */
export async function dropMails(tx: Tx, team_id: bigint, addresses: readonly string[]): Promise<void> {
  if (addresses.length === 0) return;
  await drop(tx, part`team_id = ${team_id} and lower(recipient) = any(${addresses.map((address) => address.toLowerCase())})`);
}

/** Deletes receipts of the customer's payments, including those sent to an address that is no longer in the profile. */
export function dropReceipts(tx: Tx, { team_id, id }: CustomerRef): Promise<void> {
  const paid = part`select id from payments where team_id = ${team_id} and customer_id = ${id}`;
  return drop(tx, part`team_id = ${team_id} and kind = 'receipt' and facts->>'payment' in (${paid})`);
}

async function drop(tx: Tx, theirs: Fragment): Promise<void> {
  await tx.run(sql`delete from mails where ${theirs} and tries = 0`);
  await tx.run(sql`
    update mails set kind = 'dropped', facts = '{}', recipient = null, sent_at = null, due_at = coalesce(due_at, pirogue_now())
    where ${theirs}`);
}

/** Deletes the stored answers of idempotency keys. The keys remain used. */
export async function dropAnswers(tx: Tx, team_id: bigint, resource_ids: readonly string[]): Promise<void> {
  await tx.run(sql`
    update idempotency_keys set answer = null
    where team_id = ${team_id} and resource_id = any(${[...resource_ids]}) and answer is not null`);
}
