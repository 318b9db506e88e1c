import type { Secrets } from '../../kit/crypto.ts';
import type { Environment } from '../../kit/environment.ts';
import type { Json, JsonObject } from '../../kit/json.ts';
import type { Tx } from '../../kit/sql.ts';
import {
  dropAnswers,
  dropReceipts,
  findDisputeRemarks,
  findRefundRemarks,
  findTraces,
  lockSnapshots,
  type Remark,
  type Snapshot,
  type Trace,
  writeDisputeRemarks,
  writeRefundRemarks,
  writeSnapshots,
  writeTraces,
} from './store.ts';
import { payerHash } from '../../core/customers/payer-hash.ts';
import { presentCustomer } from '../../core/customers/present.ts';
import { pseudonymiseInvoices } from './pseudonymise-invoices.ts';
import { type Identity, Redactor } from './redact.ts';
import type { CustomerRow } from '../../core/customers/schema.ts';
import { changedIn, scrub, scrubEvents } from './scrub.ts';

/** Payments in a batch. All batches are one transaction; between them, the process serves other work. */
const BATCH = 200;

/**
 * Removes an erased customer's personal data from everything stored about its payments and invoices: snapshots, attempts,
 * refunds, disputes, events, responses of receivers, stored answers and mails. Idempotent.
 * @param customer already anonymised; its name is the pseudonym
 * @param known the customer's identity, in addition to what the payments contain
 * @returns the number of payments
 */
export async function pseudonymise(
  tx: Tx,
  secrets: Secrets,
  environment: Environment,
  customer: CustomerRow,
  known: Identity,
): Promise<number> {
  const shown = presentCustomer(environment, { ...customer, tax_id: null });
  await scrubEvents(tx, customer.team_id, [customer.id], (event) => ({ ...event, data: shown as JsonObject }));
  await dropAnswers(tx, customer.team_id, [customer.id]);
  let after = '';
  let count = 0;
  for (;;) {
    const payments = await lockSnapshots(tx, customer, after, BATCH);
    const last = payments.at(-1);
    if (!last) break;
    await scrubBatch(tx, secrets, customer, known, payments);
    count += payments.length;
    after = last.id;
  }
  await pseudonymiseInvoices(tx, customer, known);
  await dropReceipts(tx, customer);
  return count;
}

async function scrubBatch(
  tx: Tx,
  secrets: Secrets,
  customer: CustomerRow,
  known: Identity,
  payments: readonly Snapshot[],
): Promise<void> {
  const { team_id } = customer;
  const ids = payments.map(({ id }) => id);
  const attempts = await findTraces(tx, team_id, ids);
  const identity = identityOf(known, customer, payments, attempts);
  const redactor = new Redactor(identity);
  await writeSnapshots(
    tx,
    team_id,
    changedIn(payments, (row) => anonymous(row, customer.name, redactor)),
  );
  const traces = attempts.map((row) => ({ ...row, released: undefined }));
  const released = new Set(attempts.filter((row) => row.released).map(({ id }) => id));
  await writeTraces(
    tx,
    team_id,
    changedIn<Trace>(traces, (row) => faded(secrets, team_id, row, released.has(row.id), redactor)),
  );
  const refunds = await findRefundRemarks(tx, team_id, ids);
  await writeRefundRemarks(
    tx,
    team_id,
    changedIn(refunds, (row) => neutral(row, redactor)),
  );
  const disputes = await findDisputeRemarks(tx, team_id, ids);
  await writeDisputeRemarks(
    tx,
    team_id,
    changedIn(disputes, (row) => neutral(row, redactor)),
  );
  const resources = [...ids, ...refunds.map(({ id }) => id), ...disputes.map(({ id }) => id)];
  await scrubEvents(tx, team_id, resources, (event) => ({ ...event, data: scrub(event.data as JsonObject, redactor) }));
  await dropAnswers(tx, team_id, [...resources, ...attempts.map(({ id }) => id)]);
}

/** Collects the identity. Payments and attempts have names and numbers that may never have been in the profile. */
function identityOf(known: Identity, customer: CustomerRow, payments: readonly Snapshot[], attempts: readonly Trace[]): Identity {
  const shippings = payments.map(({ details }) => (details?.shipping ?? {}) as JsonObject);
  const texts = (values: (Json | undefined)[]) => values.filter((value) => typeof value === 'string' && value !== '') as string[];
  const names = [...payments.map(({ name }) => name), ...shippings.map(({ name }) => name)];
  const phones = [
    ...payments.map(({ phone }) => phone),
    ...shippings.map(({ phone }) => phone),
    ...attempts.map(({ payer }) => payer),
  ];
  return {
    names: [...new Set([...known.names, ...texts(names).filter((name) => name !== customer.name)])],
    emails: [...new Set([...known.emails, ...texts(payments.map(({ email }) => email))])],
    phones: [...new Set([...known.phones, ...texts(phones)])],
  };
}

function anonymous(row: Snapshot, pseudonym: string | null, redactor: Redactor): Snapshot {
  return {
    ...row,
    name: pseudonym,
    email: null,
    phone: null,
    reference: redactor.text(row.reference),
    description: redactor.text(row.description),
    callback: redactor.text(row.callback),
    message: redactor.text(row.message),
    details: row.details && scrub(row.details, redactor),
  };
}

/** Replaces the payer's number by its hash, unless it is still needed. The sweep replaces it later. */
function faded(secrets: Secrets, team_id: bigint, row: Trace, released: boolean, redactor: Redactor): Trace {
  const forget = released && row.payer !== null;
  return {
    ...row,
    payer: forget ? null : row.payer,
    payer_hash: forget ? payerHash(secrets, team_id, row.payer as string) : row.payer_hash,
    client_ip: null,
    message: redactor.text(row.message),
    action: redactor.value(row.action),
    resolution: redactor.value(row.resolution),
  };
}

function neutral(row: Remark, redactor: Redactor): Remark {
  const { message, metadata, resolution, evidence } = row;
  return {
    ...row,
    message: redactor.text(message),
    metadata: redactor.value(metadata),
    resolution: redactor.value(resolution),
    evidence: redactor.value(evidence),
  };
}
