import pg from 'pg';
import { outside } from './virtual.ts';

/**
 * Looks at locks over a connection that no node has, and sends signals to processes of the server. A process that waits for a lock
 * is stopped until its turn: the end of a transaction may wake several, and they would overtake each other at random.
 */
export class Locks {
  readonly #client: pg.Client;
  readonly #stopped = new Set<number>();
  readonly #wake = () => this.wakeAll();

  private constructor(client: pg.Client) {
    this.#client = client;
  }

  static async open(url: string): Promise<Locks> {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    await client.connect();
    const locks = new Locks(client);
    process.once('exit', locks.#wake);
    return locks;
  }

  /**
   * Returns, for each of these server processes that waits for a lock, those it waits for. A lock that was granted counts as
   * granted at once, even when its process has not noticed it.
   */
  async waiting(pids: readonly number[]): Promise<Map<number, number[]>> {
    const { rows } = await this.#ask<{ pid: number; by: number[] }>(
      'select pid, pg_blocking_pids(pid) as by from unnest($1::int[]) pid',
      [pids],
    );
    return new Map(rows.filter(({ by }) => by.length > 0).map(({ pid, by }) => [pid, by]));
  }

  /** Stops a process that waits for a lock. */
  stop(pid: number): void {
    this.#stopped.add(pid);
    signal(pid, 'SIGSTOP');
  }

  goOn(pid: number): void {
    if (this.#stopped.delete(pid)) signal(pid, 'SIGCONT');
  }

  cancel(pid: number): void {
    signal(pid, 'SIGINT');
    this.goOn(pid);
  }

  /** Resumes all stopped processes: a server does not shut down while one of them is stopped. */
  wakeAll(): void {
    for (const pid of this.#stopped) this.goOn(pid);
  }

  async close(): Promise<void> {
    this.wakeAll();
    process.off('exit', this.#wake);
    await this.#client.end();
  }

  #ask<Row extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<pg.QueryResult<Row>> {
    return outside(() => this.#client.query<Row>({ name: text.slice(0, 60), text, values }));
  }
}

/** Sends a signal, unless the process has ended. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Whether a process waits for itself through others. */
export function isDeadlock(pid: number, waiting: ReadonlyMap<number, readonly number[]>): boolean {
  const seen = new Set<number>();
  const follow = (at: number): boolean =>
    (waiting.get(at) ?? []).some((next) => {
      if (next === pid) return true;
      if (seen.has(next)) return false;
      seen.add(next);
      return follow(next);
    });
  return follow(pid);
}
