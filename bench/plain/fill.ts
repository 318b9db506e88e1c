import type pg from 'pg';

const SPAN_MS = 30 * 24 * 3_600_000;
const REST_MS = 600_000;

/** Gives a team so many succeeded payments, evenly over the last 30 days, as bench/fill.ts does for the service. */
export async function fillPlain(client: pg.Client, team_id: number, rows: number): Promise<void> {
  await client.query(
    `
    insert into payments (team_id, id, reference, amount, currency, status, channel, description, name, email, phone, callback,
      details, token, created_at, expires_at)
    select $1, (lpad(to_hex(at), 12, '0') || '7' || left(md5(i::text), 3) || '8' || right(md5(i::text), 15))::uuid, 'order-' || i,
      25000, 'XAF', 'succeeded', 'cm.mtn', 'Two baskets and delivery to Bonapriso', 'Awa Ndiaye', 'payer@shop.example',
      '+237650000000', 'https://shop.example/orders/thanks', '{"metadata":{"order":"A-1","cart":[1,2,3],"channel":"web"}}',
      md5(i::text), to_timestamp(at / 1000.0), to_timestamp(at / 1000.0) + interval '1 day'
    from (select i, $2::bigint + i * $3::bigint as at from generate_series(1, $4::integer) i) series order by i`,
    [team_id, Date.now() - REST_MS - SPAN_MS, Math.floor(SPAN_MS / rows), rows],
  );
}

/** Ids of payments of a team, as the wire has them. */
export async function plainIds(client: pg.Client, team_id: number, count: number): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>('select id from payments where team_id = $1 order by random() limit $2', [
    team_id,
    count,
  ]);
  return rows.map(({ id }) => `trx_test_${id.replaceAll('-', '')}`);
}

/** The cursor of the page in the middle of a list. */
export async function plainMiddle(client: pg.Client, team_id: number, rows: number): Promise<string> {
  const found = await client.query<{ id: string }>(
    'select id from payments where team_id = $1 order by id desc limit 1 offset $2',
    [team_id, Math.floor(rows / 2)],
  );
  return `o${found.rows[0]?.id.replaceAll('-', '')}`;
}
