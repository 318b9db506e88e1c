import pg from 'pg';
import { during, type Fault, OUTAGE } from './fault.ts';

const HELD_S = 9;

export const connectionsExhausted: Fault = {
  name: 'connections-exhausted',
  title: 'other programs take all connections of the primary',
  impossible: () => null,
  async run(stage) {
    const { host, port } = await stage.primary();
    const { passwords } = stage.state.choices;
    const base = `@${host}:${port}/pirogue_live`;
    const administrator = new pg.Client({ connectionString: `postgresql://postgres:${passwords.superuser}${base}` });
    administrator.on('error', () => {});
    await administrator.connect();
    const others: pg.Client[] = [];
    try {
      return await during(OUTAGE, 6_000, async () => {
        // The service gives its connections back, and others are there first.
        await take(others, `postgresql://pirogue_owner:${passwords.owner}${base}`);
        await administrator.query(`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'pirogue_service'`);
        for (let second = 0; second < HELD_S; second++) {
          await take(others, `postgresql://pirogue_owner:${passwords.owner}${base}`);
          await stage.wait(1);
        }
        stage.progress(`${others.length} connections are held`);
        await Promise.all(others.map((client) => client.end().catch(() => {})));
      });
    } finally {
      await administrator.end().catch(() => {});
    }
  },
};

/** Opens connections until the server has no more. */
async function take(held: pg.Client[], url: string): Promise<void> {
  for (;;) {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    try {
      await client.connect();
      held.push(client);
    } catch {
      return;
    }
  }
}
