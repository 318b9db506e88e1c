import type pg from 'pg';
import { connectClient } from '../../../platform/db/client.ts';

/** A server in backup mode, until {@link CopySession.stop}. */
export interface CopySession {
  postgres: string;
  /** Ends backup mode. Returns the label, to be stored with the copied files, and the log to be replayed. */
  stop(): Promise<{ label: string; log: { from: string; to: string } }>;
  close(): Promise<void>;
}

/** `pg_backup_start` waits for a checkpoint, which can take minutes on a busy server. */
const STATEMENT_MS = 1_800_000;

/**
 * Starts backup mode on one connection, which has to stay open: the server ends the backup when it closes. A replication slot
 * of this connection keeps the required log from being recycled.
 * @param url address of the database as the superuser
 */
export async function startCopy(url: string): Promise<CopySession> {
  const client = await connectClient(url, STATEMENT_MS);
  try {
    const slot = `pirogue_backup_${process.pid}_${Date.now()}`;
    await client.query('select pg_create_physical_replication_slot($1, true, true)', [slot]);
    // The second argument requests an immediate checkpoint, instead of one spread over five minutes.
    await client.query(`select pg_backup_start('pirogue', true)`);
    const { rows } = await client.query<{ version: string }>(`select current_setting('server_version') as version`);
    return {
      postgres: rows[0]?.version ?? '',
      stop: () => stopCopy(client),
      close: () => client.end(),
    };
  } catch (error) {
    await client.end();
    throw error;
  }
}

async function stopCopy(client: pg.Client): Promise<{ label: string; log: { from: string; to: string } }> {
  // It also closes the current log segment, so that the whole log is in complete files.
  const { rows } = await client.query<{ label: string; to: string }>(
    'select labelfile as label, pg_walfile_name(lsn) as to from pg_backup_stop(false)',
  );
  const [{ label, to } = { label: '', to: '' }] = rows;
  const from = /^START WAL LOCATION: .*\(file ([0-9A-F]{24})\)/m.exec(label)?.[1];
  if (!from) throw new Error('the server did not report the start of the log');
  return { label, log: { from, to } };
}
