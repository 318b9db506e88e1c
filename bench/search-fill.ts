import type pg from 'pg';
import { idPrefix } from '../src/kit/ids.ts';
import type { Team } from '../src/tenants/teams/schema.ts';

const SPAN_MS = 300 * 24 * 3_600_000;
/** Newer than this nothing is made, so that all of it can be indexed. */
const REST_MS = 600_000;
const BATCH = 250_000;

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME = Array.from({ length: 10 }, (_, i) => `substr('${DIGITS}', ((at >> ${45 - 5 * i}) & 31)::integer + 1, 1)`);
/** Sixteen random digits: those of base64 beyond the first 32 stand for the others once more. */
const RANDOM = `substr(translate(lower(encode(sha256(i::text::bytea), 'base64')), '+/=ilou', '0123456'), 1, 16)`;

const pick = (by: string, words: readonly string[]) =>
  `(array[${words.map((word) => `'${word}'`).join()}])[1 + ${by} % ${words.length}]`;
const FIRST = [
  'Awa',
  'Jean',
  'Fatou',
  'Chloé',
  'Mamadou',
  'Aïcha',
  'Kofi',
  'Ngozi',
  'Paul',
  'Marie',
  'Ibrahim',
  'Zeynab',
  'Grace',
];
const LAST = ['Ndiaye', 'Mbarga', 'Diop', 'Étienne', 'Traoré', 'Okafor', 'Mensah', 'Nguema', 'Kouassi', 'Ouédraogo', 'Ba', 'Sow'];
const TEXTS = [
  'Two baskets and delivery to Bonapriso',
  'Abonnement mensuel',
  'Facture eau et électricité',
  'Recharge',
  'Robe wax',
];

/** Gives a team of the live store payments with texts like those of a shop: rising references, names, addresses, numbers. */
export async function fillSearched(live: pg.Client, team: Team, rows: number): Promise<void> {
  const start = Date.now() - REST_MS - SPAN_MS;
  for (let from = 0; from < rows; from += BATCH) {
    await live.query(
      `insert into payments (team_id, id, reference, amount_minor, captured_minor, currency, status, channel, description, name, email,
        phone, details, event_count, key_id, request_id, created_at, updated_at, expires_at)
      select $1::bigint, $2 || ${TIME.join(' || ')} || ${RANDOM},
        case i % 2 when 0 then 'order-' || i else 'INV-2026-' || lpad(i::text, 8, '0') end, 2500000, 2500000, 'XAF', 'succeeded',
        'cm.mtn', ${pick('(h >> 3)', TEXTS)}, ${pick('(h >> 7)', FIRST)} || ' ' || ${pick('(h >> 11)', LAST)},
        'client' || (h % 400000) || '@' || ${pick('(h >> 5)', ['gmail.com', 'yahoo.fr', 'shop.example', 'orange.cm'])},
        '+2376' || lpad((h % 100000000)::text, 8, '0'), '{"metadata":{"order":"A-1","cart":[1,2,3],"channel":"web"}}', 3,
        'key_of_the_benchmark', 'req_' || i, to_timestamp(at / 1000.0), to_timestamp(at / 1000.0), to_timestamp(at / 1000.0)
      from (select i, $3::bigint + i * $4::float8::bigint as at, abs(hashint8(i * 7919))::bigint as h
        from generate_series($5::bigint, $6::bigint) i) series order by i`,
      [team.id, idPrefix('trx', 'live'), start, Math.floor(SPAN_MS / rows), from + 1, Math.min(from + BATCH, rows)],
    );
  }
  await live.query('vacuum (analyze) payments');
}
