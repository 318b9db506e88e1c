import { lockPaymentsOf } from '../../core/payments/archived.ts';
import { payerHash } from '../../core/customers/payer-hash.ts';
import { presentCustomer } from '../../core/customers/present.ts';
import type { CustomerRow } from '../../core/customers/schema.ts';
import type { Secrets } from '../../kit/crypto.ts';
import type { Environment } from '../../kit/environment.ts';
import { must } from '../../kit/errors.ts';
import type { JsonObject } from '../../kit/json.ts';
import type { Tx } from '../../kit/sql.ts';
import { dropMails, dropReceipts } from '../../tenants/outbox/store.ts';
import { EVENT_DATA, isDeleted, type Owned, tablesTo } from './catalogue.ts';
import { type Identity, NO_IDENTITY, Redactor } from './redact.ts';
import { lockRows, type PersonalRow, rowsBelow, writeRows, writtenIn } from './rows-store.ts';
import { eraseObject, eraseRow, type Found, foundIn, type Replacement, withFound } from './rules.ts';
import { changedIn, clearResources, scrubEvents } from './scrub.ts';
import { findFormerInvoices, findReleased } from './store.ts';

/** Maximum names, addresses and numbers that are searched in all tables. Further ones are searched only in their own rows. */
const MAX_KNOWN = 300;
/** Rows in a batch. All batches are one transaction; between them, the process handles other requests. */
const BATCH = 200;

/** Tables with rows of the customer that remain, each with the tables whose rows depend on its rows. */
const KEPT = tablesTo('customer')
  .filter((table) => !isDeleted(table))
  .map((table) => ({ table, below: tablesTo('row', table.name) }));

const PROFILE_EVENT = must(EVENT_DATA.get('customer'), 'the list of customers has the data of its events');

interface Erasing {
  tx: Tx;
  secrets: Secrets;
  /** Already anonymised; its name is the pseudonym. */
  customer: CustomerRow;
  known: Identity;
}

/**
 * Removes an erased customer's personal data from all listed rows that belong to it and remain: payments and invoices, their dependent
 * rows, events, responses of receivers, stored answers and mails. Idempotent.
 * @param customer already anonymised; its name is the pseudonym
 * @param known the customer's identity, in addition to what its rows contain
 * @returns the number of payments, and all that identified the person
 */
export async function pseudonymise(
  tx: Tx,
  secrets: Secrets,
  environment: Environment,
  customer: CustomerRow,
  known: Identity,
): Promise<{ payments: number; identity: Identity }> {
  const { team_id, id } = customer;
  await lockPaymentsOf(tx, customer, BATCH);
  const shown = presentCustomer(environment, { ...customer, tax_id: null });
  // What the profile contained before its changes is in their events only, and may be in the free text of a payment.
  let former = NO_IDENTITY;
  await scrubEvents(tx, team_id, [id], (event) => {
    former = bounded(withFound(former, foundIn(event.data as JsonObject, PROFILE_EVENT), customer.name));
    return { ...event, data: shown as JsonObject };
  });
  await clearResources(tx, team_id, [id]);
  const inRows = await identityOf(tx, customer, known);
  const identity = joined(inRows, former);
  const erasing = { tx, secrets, customer, known: identity };
  const counts: Record<string, number> = {};
  for (const { table, below } of KEPT) {
    counts[table.name] = await batches(
      (after) => lockRows(tx, table, customer, after, BATCH),
      (rows) => eraseBatch(erasing, table, below, rows),
    );
  }
  await batches(
    (after) => findFormerInvoices(tx, customer, after, BATCH),
    (invoices) => scrubResources(erasing, identity, idsOf(invoices)),
  );
  return { payments: counts.payments ?? 0, identity };
}

/**
 * Returns all values that identify the person in the remaining rows, because a name in one row may be in the free text of another.
 */
async function identityOf(tx: Tx, customer: CustomerRow, known: Identity): Promise<Identity> {
  let identity = known;
  for (const { table, below } of KEPT) {
    await batches(
      (after) => lockRows(tx, table, customer, after, BATCH),
      async (rows) => {
        const groups = await withBelow(tx, table, below, rows);
        identity = bounded(withFound(identity, foundInAll(groups), customer.name));
      },
    );
  }
  return identity;
}

/** @param second what is left out first when there are too many values */
function joined(first: Identity, second: Identity): Identity {
  const both = (kind: keyof Identity) => [...new Set([...first[kind], ...second[kind]])];
  return bounded({ names: both('names'), emails: both('emails'), phones: both('phones') });
}

function bounded({ names, emails, phones }: Identity): Identity {
  return { names: names.slice(0, MAX_KNOWN), emails: emails.slice(0, MAX_KNOWN), phones: phones.slice(0, MAX_KNOWN) };
}

interface Group {
  table: Owned;
  rows: readonly PersonalRow[];
}

/** Returns rows, and the rows of other tables that depend on them. */
async function withBelow(tx: Tx, table: Owned, below: readonly Owned[], rows: readonly PersonalRow[]): Promise<Group[]> {
  const groups: Group[] = [{ table, rows }];
  const team_id = rows[0]?.team_id ?? 0n;
  for (const one of below) groups.push({ table: one, rows: await rowsBelow(tx, one, team_id, idsOf(rows)) });
  return groups;
}

function foundInAll(groups: readonly Group[]): Found[] {
  return groups.flatMap((group) => group.rows.flatMap((row) => foundIn(row, group.table.list)));
}

async function batches<Row extends { id: string }>(
  next: (after: string) => Promise<Row[]>,
  work: (rows: readonly Row[]) => Promise<void>,
): Promise<number> {
  let after = '';
  let count = 0;
  for (;;) {
    const rows = await next(after);
    const last = rows.at(-1);
    if (!last) return count;
    await work(rows);
    count += rows.length;
    after = last.id;
  }
}

async function eraseBatch(erasing: Erasing, table: Owned, below: readonly Owned[], rows: readonly PersonalRow[]): Promise<void> {
  const { tx, customer } = erasing;
  const { team_id, name: pseudonym } = customer;
  const ids = idsOf(rows);
  const groups = await withBelow(tx, table, below, rows);
  // Rows have names, addresses and numbers that may never have been in the profile.
  const found = foundInAll(groups);
  const identity = withFound(erasing.known, found, pseudonym);
  const redactor = new Redactor(identity);
  const released = new Set(below.some(hasHash) ? await findReleased(tx, team_id, ids) : []);
  const hash = (value: string) => payerHash(erasing.secrets, team_id, value);
  for (const group of groups) {
    const by = (row: PersonalRow): Replacement => ({ pseudonym, redactor, ...(released.has(row.id) ? { hash } : {}) });
    const changed = changedIn(group.rows, (row) => eraseRow(row, group.table.list, by(row)));
    await writeRows(tx, group.table.name, writtenIn(group.table), changed);
  }
  await scrubResources(
    erasing,
    identity,
    groups.flatMap((group) => idsOf(group.rows)),
  );
  const mailed = found.filter((one) => one.mailed).map(({ value }) => value);
  if (mailed.length > 0) await dropMails(tx, team_id, [...new Set([...erasing.known.emails, ...mailed])]);
  // The payments are locked, so no receipt is queued after this.
  if (table.name === 'payments') await dropReceipts(tx, team_id, ids);
}

function hasHash({ erased }: Owned): boolean {
  return erased.some(([, { becomes }]) => becomes === 'hash');
}

function idsOf(rows: readonly { id: string }[]): string[] {
  return rows.map(({ id }) => id);
}

/**
 * Removes personal data from events and stored answers. A draft invoice may have been addressed to another person before or after:
 * events that name another customer are left unchanged.
 */
async function scrubResources({ tx, customer }: Erasing, identity: Identity, ids: readonly string[]): Promise<void> {
  const { team_id, id, name: pseudonym } = customer;
  const usual = new Redactor(identity);
  await scrubEvents(tx, team_id, ids, (event) => {
    const data = event.data as JsonObject;
    if (typeof data.customer === 'string' && data.customer !== id) return event;
    const of = EVENT_DATA.get(String(event.event).split('.', 1)[0] as string) ?? { plain: '' };
    const whole = withFound(identity, foundIn(data, of), pseudonym);
    const redactor = whole === identity ? usual : new Redactor(whole);
    return { ...event, data: eraseObject(data, of, { pseudonym, redactor }) };
  });
  await clearResources(tx, team_id, ids);
}
