import { Secrets } from '../src/kit/crypto.ts';
import { newId } from '../src/kit/ids.ts';
import { newSecret, secretPlace } from '../src/money/webhooks/sign.ts';
import { selfSigned } from '../test/setup/certificate.ts';
import type { Ports, SinkJob } from './child/sink.ts';
import type { Service } from './service.ts';
import type { Stage } from './stage.ts';
import { BODY } from './statement.ts';
import { makeTeam } from './teams.ts';

/* Payments from creation to a delivered success, over the API. */

const LIMIT_MS = 300_000;
/** What they leave. */
export const WRITTEN = [
  'payments',
  'attempts',
  'archived_attempts',
  'idempotency_keys',
  'idempotency_answers',
  'events',
  'event_sequences',
  'deliveries',
  'delivery_attempts',
  'journals',
  'postings',
  'balance_deltas',
  'balances',
  'settlement_items',
  'ledger_seals',
  'ledger_group_seals',
  'audit_entries',
  'audit_seals',
  'audit_group_seals',
];

/** A process that opens endpoints. */
type Receiver = { run(job: Extract<SinkJob, { kind: 'open' }>, limit_ms: number): Promise<Ports> };

/**
 * Makes a verified team.
 * @param endpoints that get its events
 * @returns its key
 */
export async function merchant(stage: Stage, sink: Receiver, endpoints: number): Promise<string> {
  const {
    team,
    keys: [key = ''],
  } = await makeTeam(stage.control, 'sandbox', 1);
  if (endpoints === 0) return key;
  const secret = newSecret();
  const ports = await sink.run({ kind: 'open', endpoints, secret, ...selfSigned() }, 30_000);
  const now = Date.now();
  const secrets = new Secrets(stage.secretsKey);
  const ids = ports.https.map(() => newId('wh', 'sandbox', now));
  await stage.sandbox.query(
    `
    insert into webhook_endpoints (team_id, id, url, secret_sealed, events, api_version, created_at, updated_at)
    select $1, id, url, sealed, '{*}', $2, $3, $3 from unnest($4::text[], $5::text[], $6::text[]) as e (id, url, sealed)`,
    [
      team.id,
      team.api_version,
      new Date(now),
      ids,
      ports.https.map((port) => `https://127.0.0.1:${port}/hook`),
      ids.map((id) => secrets.seal(secret, secretPlace(team.id, id))),
    ],
  );
  return key;
}

interface Lives {
  /** Number of the first; keys and references carry it. */
  from: number;
  count: number;
  at_once: number;
  /** Otherwise payments are only created. */
  charged: boolean;
}

/** Creates payments over the API, and charges them. */
export async function payAll(service: Service, key: string, { from, count, at_once, charged }: Lives): Promise<void> {
  let next = from;
  await Promise.all(
    Array.from({ length: at_once }, async () => {
      while (next < from + count) await pay(service, key, next++, charged);
    }),
  );
}

async function pay({ port }: Service, key: string, serial: number, charged: boolean): Promise<void> {
  const send = async (path: string, body: object) => {
    const headers = { authorization: key, 'content-type': 'application/json', 'idempotency-key': `${path}-${serial}` };
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${text}`);
    return JSON.parse(text);
  };
  const { transaction } = await send('/payments', { ...BODY, reference: `order-${serial}` });
  if (charged) await send(`/payments/${transaction.id}`, { channel: 'cm.mtn', data: { phone: BODY.phone } });
}

/** Creates and charges payments at a fixed rate, however long the answers take. */
export async function payAtRate(service: Service, key: string, count: number, per_second: number): Promise<void> {
  const started = performance.now();
  const under_way: Promise<void>[] = [];
  for (let serial = 0; serial < count; serial++) {
    const due_ms = started + (serial * 1000) / per_second - performance.now();
    if (due_ms > 0) await new Promise((resolve) => setTimeout(resolve, due_ms));
    under_way.push(pay(service, key, serial, true));
  }
  await Promise.all(under_way);
}

/** Waits until so many have succeeded and nothing is left to send or fold. */
export async function settled(stage: Stage, count: number): Promise<void> {
  const deadline = performance.now() + LIMIT_MS;
  for (;;) {
    const {
      rows: [state],
    } = await stage.sandbox.query(`
      select (select count(*)::integer from payments where status = 'succeeded') as succeeded,
        (select count(*)::integer from deliveries) + (select count(*)::integer from balance_deltas) as waiting`);
    if (state.succeeded === count && state.waiting === 0) break;
    if (performance.now() > deadline)
      throw new Error(`of ${count} payments ${state.succeeded} succeeded, ${state.waiting} rows wait`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
