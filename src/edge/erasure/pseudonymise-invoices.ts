import type { JsonObject } from '../../kit/json.ts';
import type { Tx } from '../../kit/sql.ts';
import { findFormerInvoices, type InvoiceSnapshot, lockInvoiceSnapshots, writeInvoiceSnapshots } from './invoices-store.ts';
import { dropAnswers, dropMails } from './store.ts';
import { type Identity, Redactor } from './redact.ts';
import type { CustomerRow } from '../../core/customers/schema.ts';
import { changedIn, scrub, scrubEvents } from './scrub.ts';

const BATCH = 200;

/** Removes an erased customer's personal data from its invoices. The invoices remain, with their items and payments. */
export async function pseudonymiseInvoices(tx: Tx, customer: CustomerRow, known: Identity): Promise<void> {
  await batches(
    (after) => lockInvoiceSnapshots(tx, customer, after, BATCH),
    (invoices) => scrubBatch(tx, customer, known, invoices),
  );
  await batches(
    (after) => findFormerInvoices(tx, customer, after, BATCH),
    (invoices) => scrubAnnounced(tx, customer, known, invoices),
  );
}

async function batches<Row extends { id: string }>(
  next: (after: string) => Promise<Row[]>,
  work: (rows: readonly Row[]) => Promise<void>,
): Promise<void> {
  let after = '';
  for (;;) {
    const rows = await next(after);
    const last = rows.at(-1);
    if (!last) return;
    await work(rows);
    after = last.id;
  }
}

async function scrubBatch(tx: Tx, customer: CustomerRow, known: Identity, invoices: readonly InvoiceSnapshot[]): Promise<void> {
  const { team_id, name: pseudonym } = customer;
  // An invoice may have been addressed to an e-mail address that is no longer in the profile.
  const identity = invoices.reduce((all, recipient) => withRecipient(all, recipient, pseudonym), known);
  const redactor = new Redactor(identity);
  await writeInvoiceSnapshots(
    tx,
    team_id,
    changedIn(invoices, (row) => ({
      ...row,
      name: pseudonym,
      email: null,
      phone: null,
      reference: redactor.text(row.reference),
      notes: redactor.text(row.notes),
      items: redactor.value(row.items),
      metadata: redactor.value(row.metadata),
    })),
  );
  await scrubAnnounced(tx, customer, identity, invoices);
  await dropMails(tx, team_id, identity.emails);
}

/**
 * Removes personal data from events and stored answers. A draft may have been addressed to another person before or after:
 * events that name another customer are left unchanged.
 */
async function scrubAnnounced(
  tx: Tx,
  { team_id, id, name: pseudonym }: CustomerRow,
  known: Identity,
  invoices: readonly { id: string }[],
): Promise<void> {
  const ids = invoices.map((invoice) => invoice.id);
  await scrubEvents(tx, team_id, ids, (event) => {
    const data = event.data as JsonObject;
    if (data.customer !== id) return event;
    const redactor = new Redactor(withRecipient(known, data.recipient as unknown as Recipient, pseudonym));
    return { ...event, data: { ...scrub(data, redactor), recipient: { name: pseudonym, email: null, phone: null } } };
  });
  await dropAnswers(tx, team_id, ids);
}

type Recipient = Pick<InvoiceSnapshot, 'name' | 'email' | 'phone'>;

/**
 * Adds an invoice's recipient to an identity.
 * @param pseudonym identifies nobody, so it is not redacted
 */
function withRecipient(known: Identity, { name, email, phone }: Recipient, pseudonym: string | null): Identity {
  const also = (all: readonly string[], one: string | null) => (one === null || all.includes(one) ? all : [...all, one]);
  return {
    names: name === pseudonym ? known.names : also(known.names, name),
    emails: also(known.emails, email),
    phones: also(known.phones, phone),
  };
}
