import pg from 'pg';

const DEADLINE_MS = 20_000;

/** Runs statements over one connection of its own and closes it. Values of type bigint come as text. */
export async function withDatabase<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 3_000, query_timeout: DEADLINE_MS });
  client.on('error', () => {}); // the statement under way reports it
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}

export async function rowsOf<Row extends object>(url: string, text: string, values: unknown[] = []): Promise<Row[]> {
  return withDatabase(url, async (client) => (await client.query(text, values)).rows as Row[]);
}
