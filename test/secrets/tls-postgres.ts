import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { giveTo } from '../../src/platform/db/embedded/account.ts';
import { program, runnableBinaries } from '../../src/platform/db/embedded/binaries.ts';
import { findPlace } from '../../src/platform/db/embedded/place.ts';
import { surroundings } from '../../src/platform/db/embedded/programs.ts';
import { ensureDatabase, startEmbedded } from '../../src/platform/db/embedded.ts';
import { query } from '../db/helpers.ts';
import type { Certificate } from '../setup/certificate.ts';
import { freePort, until } from '../setup/api.ts';

export interface TlsPostgres {
  /** @param query of the address, such as `sslmode=verify-full` */
  url(database: string, query: string): string;
  /** Shows another certificate from now on. */
  present(certificate: Certificate): void;
  stop(): Promise<void>;
}

/** A PostgreSQL that takes connections over TCP with TLS only. @param dataDir an empty folder that its account may enter */
export async function startTlsPostgres(
  dataDir: string,
  certificate: Certificate,
  databases: readonly string[],
): Promise<TlsPostgres> {
  const plain = await startEmbedded({ dataDir, durable: false });
  for (const name of databases) await ensureDatabase(plain, name);
  await plain.stop();
  const place = findPlace(dataDir);
  const write = (name: string, content: string) => {
    const file = path.join(place.cluster, name);
    fs.writeFileSync(file, content, { mode: 0o600 });
    giveTo(place.account, file);
  };
  const showing = ({ cert, key }: Certificate) => {
    write('tls.crt', cert);
    write('tls.key', key);
  };
  showing(certificate);
  write('pg_hba.conf', 'hostssl all all 127.0.0.1/32 trust\n');
  const port = await freePort();
  const settings = {
    ...{ listen_addresses: '127.0.0.1', port: String(port), unix_socket_directories: '', fsync: 'off' },
    ...{ ssl: 'on', ssl_cert_file: 'tls.crt', ssl_key_file: 'tls.key' },
  };
  const args = ['-D', place.cluster, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
  const child: ChildProcess = spawn(program(await runnableBinaries(place), 'postgres'), args, {
    ...surroundings(place.account),
    stdio: 'ignore',
  });
  // It must not outlive a test process that was ended.
  process.on('exit', () => child.kill('SIGQUIT'));
  const url = (database: string, parameters: string) => `postgresql://pirogue@localhost:${port}/${database}?${parameters}`;
  await until(
    () => query(url('postgres', 'sslmode=no-verify'), 'select 1').catch(() => []),
    (rows) => rows.length === 1,
  );
  return {
    url,
    present: (other) => {
      showing(other);
      child.kill('SIGHUP');
    },
    stop: async () => {
      const gone = once(child, 'exit');
      child.kill('SIGINT');
      await gone;
    },
  };
}
