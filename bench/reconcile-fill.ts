import fs from 'node:fs';
import pg from 'pg';
import { newId } from '../src/kit/ids.ts';

const START = Date.parse('2026-03-01T00:00:00Z');
const STEP_MS = 2_000;
/** One line in so many is spoilt, in turn in each of these ways. */
export const EVERY = 5_000;
export const WAYS = ['missing_there', 'amount', 'duplicate', 'missing_here', 'unknown', 'late'] as const;

/** Attempts in the database and the statement that tells of them, with breaks. */
export async function fillStatement(url: string, team_id: bigint, file: string, lines: number): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const out = fs.createWriteStream(file);
  out.write('type,key,reference,amount,currency,fee,at,status\n');
  for (let from = 0; from < lines; from += 20_000) {
    const made = Array.from({ length: Math.min(20_000, lines - from) }, (_, i) => madeAt(from + i));
    out.write(made.map(({ line }) => line).join(''));
    await insert(client, team_id, made);
    if (out.writableNeedDrain) await new Promise((resolve) => out.once('drain', resolve));
  }
  await client.query('analyze');
  await client.end();
  await new Promise((resolve) => out.end(resolve));
}

type Made = ReturnType<typeof madeAt>;

function madeAt(n: number) {
  const at = START + n * STEP_MS;
  const way = n % EVERY === EVERY - 1 ? WAYS[Math.floor(n / EVERY) % WAYS.length] : null;
  const key = `${n.toString(16).padStart(8, '0')}-0000-4000-8000-${(n * 7919).toString(16).padStart(12, '0')}`;
  const row = (ref: string, amount: string, name = key) =>
    `collect,${name},${ref},${amount},XAF,50,${new Date(at + 5_000).toISOString()},succeeded\n`;
  const usual = row(`f${n}`, '2500');
  const line = {
    ...{ usual, unknown: usual, late: usual, missing_there: '', amount: row(`f${n}`, '2400') },
    ...{ duplicate: usual + row(`g${n}`, '2500'), missing_here: usual + row(`h${n}`, '900', `x${key.slice(1)}`) },
  }[way ?? 'usual'];
  const status = way === 'unknown' ? 'unknown' : way === 'late' ? 'failed' : 'succeeded';
  return { id: newId('att', 'live', at), payment: newId('trx', 'live', at), at, key, line, status };
}

async function insert(client: pg.Client, team_id: bigint, made: Made[]): Promise<void> {
  const columns = [
    ...[
      made.map(({ id }) => id),
      made.map(({ payment }) => payment),
      made.map(({ key }) => key),
      made.map(({ status }) => status),
    ],
    made.map(({ at }) => new Date(at).toISOString()),
  ];
  await client.query(
    `with made as materialized (select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::timestamptz[]) as m(id, payment, key, status, at)),
    paid as (
      insert into payments (team_id, id, amount_minor, captured_minor, currency, status, channel, event_count, key_id, request_id, created_at,
        updated_at, expires_at)
      select ${team_id}, payment, 250000, case status when 'succeeded' then 250000 else 0 end, 'XAF', case status when 'unknown' then 'processing' else status end,
        'cm.mtn', 2, 'k', 'r', at, at, at + interval '1 day' from made
    )
    insert into attempts (team_id, id, payment_id, provider, provider_account, channel, status, amount_minor, currency, payer, country,
      provider_key, provider_ref, created_at, submitted_at, closed_at)
    select ${team_id}, id, payment, 'mtn-momo', 'pa_1', 'cm.mtn', status, 250000, 'XAF', '+237670000000', 'CM', key, null, at, at,
      case when status = 'unknown' then null else at + interval '10 s' end from made`,
    columns,
  );
}
