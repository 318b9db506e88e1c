import { connectClient } from '../../src/platform/db/client.ts';

const NOW = `create or replace function pirogue_now() returns timestamptz language sql stable parallel safe as
  $$ select to_timestamp(current_setting('simulation.now')::float8) $$`;

/** In this database `pirogue_now()` is the virtual time that the session was told. */
export async function setDefaultTime(url: string): Promise<void> {
  const client = await connectClient(url);
  await client.query(NOW);
  await client.end();
}
