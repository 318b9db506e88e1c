import pg from 'pg';
import { prepareScopes } from '../../src/platform/db/scope.ts';
import { connectionOf, SET, TRANSACTION, verbOf } from './driver.ts';
import { outside } from './virtual.ts';

const SETTER = { name: SET, text: 'select set_config($1, $2, false)', values: ['simulation.now', '0'] };

/** A process of PostgreSQL, with the connection that leads to it. */
export class Server {
  readonly client: pg.Client;
  readonly pid: number;
  /** Virtual time that its session has; null: none that is certain. */
  #time: number | null = null;

  constructor(client: pg.Client) {
    this.client = client;
    this.pid = (client as unknown as { processID: number }).processID;
  }

  /** Lets the next statement be preceded by the virtual time. */
  precede(text: string, now: number): void {
    if (TRANSACTION.has(verbOf(text)) || this.#time === now) return;
    connectionOf(this.client).first = { statement: SET, values: ['simulation.now', (now / 1000).toFixed(3)] };
    this.#time = now;
  }

  /** A transaction that ends without a commit takes back the time that was set in it. */
  forgetTime(): void {
    this.#time = null;
  }

  /** Ends its transaction, if it is in one. */
  async reset(): Promise<void> {
    this.#time = null;
    await outside(() => this.client.query('rollback'));
  }
}

/**
 * The connections that really exist. Each serves whichever connection of a node begins a transaction, until its end, as behind a pooler:
 * a plan is then made once for a world, not once for each connection of each node that starts, crashes and starts again.
 */
export class Servers {
  readonly #idle = new Map<string, Server[]>();
  readonly #all: Server[] = [];

  /** @param like the connection of the node: its database, its user and its settings */
  async take(like: pg.Client): Promise<Server> {
    return this.#idleLike(like).pop() ?? (await outside(() => this.#open(like)));
  }

  /** The one that was used last serves next: it has most of the plans. */
  give(server: Server): void {
    this.#idleLike(server.client).push(server);
  }

  async close(): Promise<void> {
    await outside(() => Promise.all(this.#all.splice(0).map(({ client }) => client.end())));
    this.#idle.clear();
  }

  #idleLike(client: pg.Client): Server[] {
    const { host, database, user, options } = parametersOf(client);
    const place = `${host} ${database} ${user} ${options}`;
    const idle = this.#idle.get(place) ?? [];
    this.#idle.set(place, idle);
    return idle;
  }

  async #open(like: pg.Client): Promise<Server> {
    const { host, port, database, user, options } = parametersOf(like);
    const client = new pg.Client({ host, port, database, user, options, password: like.password as string });
    client.on('error', () => {});
    await client.connect();
    await client.query('set statement_timeout = 0; set idle_in_transaction_session_timeout = 0');
    await client.query(SETTER);
    await prepareScopes(client);
    const server = new Server(client);
    this.#all.push(server);
    return server;
  }
}

function parametersOf(client: pg.Client): pg.ClientConfig {
  return (client as unknown as { connectionParameters: pg.ClientConfig }).connectionParameters;
}
