import { newUuid, randomHex } from './ids.ts';
import type { Body } from './validate.ts';

/** A row of payments as lists return it. */
export interface Row {
  id: string;
  reference: string | null;
  amount: string | number;
  currency: string;
  status: string;
  channel: string | null;
  description: string | null;
  created_at: Date;
}

/** Who presents a key. Keys and endpoints are given at the start and kept in memory. */
export interface Team {
  team_id: number;
  endpoints: number[];
}

export interface Created {
  row: Row;
  token: string;
  /** Parameters of the statement CREATE, as text. */
  values: (string | null)[];
}

const PREFIX = 'trx_test_';
const API_VERSION = '2026-08-01';
const DEFAULT_MINUTES = 1440;

/** Builds the rows of a new payment: itself, its key, its event and a delivery for each endpoint. */
export function newPayment({ team_id, endpoints }: Team, key: string, hash: Buffer, body: Body, at: number): Created {
  const created_at = new Date(at);
  const token = randomHex(32);
  const iso = created_at.toISOString();
  const { reference = null, amount, currency, description = null, callback = null, bearer = null, name = null } = body;
  const row: Row = { id: newUuid(at), reference, amount, currency, status: 'pending', channel: null, description, created_at };
  const event_id = newUuid(at);
  const { theming, address, shipping, telemetry, metadata, items } = body;
  return {
    row,
    token,
    values: [
      String(team_id),
      key,
      `\\x${hash.toString('hex')}`,
      row.id,
      reference,
      String(amount),
      currency,
      description,
      name,
      body.email ?? body.customer?.email ?? null,
      body.phone ?? body.customer?.phone ?? null,
      body.customer_id ?? null,
      callback,
      bearer,
      JSON.stringify({ theming, address, shipping, telemetry, metadata, items }),
      token,
      iso,
      new Date(at + (body.expires?.in ?? DEFAULT_MINUTES) * 60_000).toISOString(),
      event_id,
      eventBody(event_id, row, metadata ?? null, endpoints.length),
      `{${endpoints.join(',')}}`,
    ],
  };
}

function eventBody(id: string, row: Row, metadata: object | null, pending_webhooks: number): string {
  return JSON.stringify({
    id: `evt_test_${id}`,
    event: 'payment.created',
    livemode: false,
    created: row.created_at,
    api_version: API_VERSION,
    pending_webhooks,
    request: { id: null, idempotency_key: randomHex(32) },
    data: retrieved({ ...row, settled: false, reason: null, metadata }),
  });
}

/** The payment of POST /payments, without what only a later state has. */
export function created({ id, reference, amount, currency, status, description, created_at }: Row) {
  return { id: wireId(id), reference, amount: Number(amount), currency, status, description, sandbox: true, created_at };
}

/** An item of GET /payments. */
export function listed({ id, reference, amount, currency, status, channel, description, created_at }: Row) {
  return { id: wireId(id), reference, amount: Number(amount), currency, status, channel, description, sandbox: true, created_at };
}

export interface WholeRow extends Row {
  settled: boolean;
  reason: string | null;
  metadata: object | null;
}

/** The payment of GET /payments/{id} and of its events. */
export function retrieved(row: WholeRow) {
  const { settled, reason, metadata } = row;
  return { ...listed(row), settled, reason, metadata };
}

function wireId(uuid: string): string {
  return PREFIX + uuid.replaceAll('-', '');
}

/** Returns the UUID of an id of the wire; null when it is not the id of a payment. */
export function uuidOf(id: string): string | null {
  return /^trx_test_[0-9a-f]{32}$/.test(id) ? id.slice(PREFIX.length) : null;
}
