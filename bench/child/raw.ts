import pg from 'pg';
import { newId } from '../../src/kit/ids.ts';
import type { Statement } from '../statement.ts';
import { takeJobs } from './jobs.ts';
import { nextSerial } from './serial.ts';
import { type Counted, Tally, type Windowed } from './tally.ts';

export interface RawJob extends Windowed {
  url: string;
  /** Settings of the service's own connections. */
  settings: string;
  connections: number;
  statement: Statement;
}

/** The baseline: the service's own statement, prepared, sent over bare connections one after the other. */
takeJobs<RawJob, Counted>(async (job, started) => {
  const clients = await Promise.all(
    Array.from({ length: job.connections }, async () => {
      const client = new pg.Client({ connectionString: job.url, options: job.settings });
      await client.connect();
      return client;
    }),
  );
  try {
    const tally = new Tally(job, started);
    await Promise.all(
      clients.map(async (client) => {
        while (!tally.over) {
          const since = performance.now();
          const { rowCount } = await client.query({ name: 'create', text: job.statement.text, values: [fresh(job.statement)] });
          if (rowCount !== 1) throw new Error('the statement made no payment');
          tally.add(since);
        }
      }),
    );
    return tally.result();
  } finally {
    await Promise.all(clients.map((client) => client.end()));
  }
});

function fresh({ pieces, holes, ids }: Statement): string {
  const serial = nextSerial();
  const now = Date.now();
  const made = ids.map((prefix) => newId(prefix, 'sandbox', now));
  let text = pieces[0] as string;
  for (let i = 0; i < holes.length; i++)
    text += (holes[i] === null ? serial : made[holes[i] as number]) + (pieces[i + 1] as string);
  return text;
}
