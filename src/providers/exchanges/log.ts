import { BufferedWriter } from '../../kit/buffered-writer.ts';
import { type Environment, ENVIRONMENTS } from '../../kit/environment.ts';
import type { Queryable } from '../../kit/sql.ts';
import type { NewExchange } from './schema.ts';
import { insertExchanges } from './store.ts';

/** An exchange has up to 8 kB, so at most 8 MB wait. */
const BUFFERING = { max_rows: 100, max_waiting: 1_000, every_ms: 250 };

/**
 * Stores exchanges with providers in the background (docs/decisions/0095-request-log.md). Neither a charge nor a callback waits for it
 * or fails because of it. Under overload, exchanges are lost and counted.
 */
export class ExchangeLog {
  readonly #writers: Readonly<Record<Environment, BufferedWriter<NewExchange>>>;

  /** @param stores for the rows of all teams */
  constructor(
    stores: Readonly<Record<Environment, Queryable>>,
    lost: (environment: Environment, rows: number, error?: unknown) => void,
  ) {
    const writerOf = (environment: Environment) =>
      new BufferedWriter<NewExchange>({
        ...BUFFERING,
        write: (rows) => insertExchanges(stores[environment], rows),
        lost: (rows, error) => lost(environment, rows, error),
      });
    this.#writers = { sandbox: writerOf('sandbox'), live: writerOf('live') };
  }

  add(exchange: NewExchange): void {
    this.#writers[exchange.environment].add(exchange);
  }

  /** Stores the waiting exchanges, until the deadline. */
  async close(deadline_ms: number): Promise<void> {
    await Promise.all(ENVIRONMENTS.map((environment) => this.#writers[environment].close(deadline_ms)));
  }
}
