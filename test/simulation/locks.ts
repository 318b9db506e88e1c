import pg from 'pg';
import { outside } from './virtual.ts';

/** Looks at locks and ends connections, over a connection that no node has. */
export class Locks {
  readonly #client: pg.Client;

  private constructor(client: pg.Client) {
    this.#client = client;
  }

  static async open(url: string): Promise<Locks> {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    await client.connect();
    return new Locks(client);
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

  async cancel(pid: number): Promise<void> {
    await this.#ask('select pg_cancel_backend($1)', [pid]);
  }

  /** Ends connections; resolves when their transactions are gone. */
  async terminate(pids: readonly number[]): Promise<void> {
    if (pids.length > 0) await this.#ask('select pg_terminate_backend(pid, 20000) from unnest($1::int[]) pid', [pids]);
  }

  async close(): Promise<void> {
    await this.#client.end();
  }

  #ask<Row extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<pg.QueryResult<Row>> {
    return outside(() => this.#client.query<Row>({ name: text.slice(0, 60), text, values }));
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
