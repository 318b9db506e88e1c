import { Secrets } from '../src/kit/crypto.ts';
import { newId } from '../src/kit/ids.ts';
import { newSecret } from '../src/webhooks/sign.ts';
import { selfSigned } from '../test/setup/certificate.ts';
import type { Ports, SinkJob } from './child/sink.ts';
import { Helper } from './helper.ts';
import type { Service } from './service.ts';
import { clear, type Stage } from './stage.ts';
import { BODY } from './statement.ts';
import { makeTeam } from './teams.ts';

const PAYMENTS = 2_000;
const QUICK_PAYMENTS = 100;
const AT_ONCE = 16;
const LIMIT_MS = 300_000;
const WRITTEN = [
  'payments',
  'attempts',
  'idempotency_keys',
  'events',
  'deliveries',
  'delivery_attempts',
  'journals',
  'postings',
  'balance_deltas',
  'balances',
  'settlement_items',
  'ledger_seals',
];

/**
 * Bytes of tables and indexes for each payment, all in: created with an idempotency key, charged, succeeded, booked, and
 * each of its events delivered to one endpoint.
 */
export async function bytesPerPayment(stage: Stage, service: Service, quick: boolean): Promise<number> {
  const count = quick ? QUICK_PAYMENTS : PAYMENTS;
  const sink = new Helper<SinkJob, Ports>('sink', stage.folder);
  try {
    await clear(stage.sandbox, WRITTEN);
    const key = await merchant(stage, sink);
    const empty = await storeBytes(stage);
    let next = 0;
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        while (next < count) await pay(service, key, next++);
      }),
    );
    await settled(stage, count);
    return Math.round(((await storeBytes(stage)) - empty) / count);
  } finally {
    await sink.stop();
    await clear(stage.sandbox, [...WRITTEN, 'webhook_endpoints']);
  }
}

/** @returns the key of a team with one endpoint */
async function merchant(stage: Stage, sink: Helper<SinkJob, Ports>): Promise<string> {
  const {
    team,
    keys: [key = ''],
  } = await makeTeam(stage.control, 'sandbox', 1);
  const secret = newSecret();
  const ports = await sink.run({ kind: 'open', endpoints: 1, secret, ...selfSigned() }, 30_000);
  const now = Date.now();
  await stage.sandbox.query(
    `
    insert into webhook_endpoints (team_id, id, url, secret_sealed, events, api_version, created_at, updated_at)
    values ($1, $2, $3, $4, '{*}', $5, $6, $6)`,
    [
      team.id,
      newId('wh', 'sandbox', now),
      `https://127.0.0.1:${ports.https[0]}/hook`,
      new Secrets(stage.secretsKey).seal(secret),
      team.api_version,
      new Date(now),
    ],
  );
  return key;
}

async function pay({ port }: Service, key: string, serial: number): Promise<void> {
  const send = async (path: string, body: object) => {
    const headers = { authorization: key, 'content-type': 'application/json', 'idempotency-key': `${path}-${serial}` };
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${text}`);
    return JSON.parse(text);
  };
  const { transaction } = await send('/payments', { ...BODY, reference: `order-${serial}` });
  await send(`/payments/${transaction.id}`, { channel: 'cm.mtn', data: { phone: BODY.phone } });
}

/** All succeeded, nothing left to send or fold; then the space of gone rows is given back, as autovacuum does in time. */
async function settled(stage: Stage, count: number): Promise<void> {
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
  await stage.sandbox.query('vacuum');
}

async function storeBytes(stage: Stage): Promise<number> {
  const {
    rows: [row],
  } = await stage.sandbox.query(`
    select sum(pg_total_relation_size(oid))::bigint as bytes from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace`);
  return Number(row.bytes);
}
