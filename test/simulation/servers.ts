import pg from 'pg';
import { prepareScopes } from '../../src/platform/db/scope.ts';
import { BEGIN, connectionOf, type Prepared, SET, SET_LOCAL, verbOf } from './driver.ts';
import { outside } from './virtual.ts';

const PREPARED = [
  { name: BEGIN, text: 'begin' },
  { name: SET, text: 'select set_config($1, $2, false)', values: ['simulation.now', '0'] },
  { name: SET_LOCAL, text: 'select set_config($1, $2, true)', values: ['simulation.now', '0'] },
];
/** The way in which the service begins a transaction (src/platform/db/scope.ts). */
const BEGINNING = /^begin(; set local [\w.]+ = '[\w.]+')*$/;
const SETTING = /set local ([\w.]+) = '([\w.]+)'/g;

/** A process of PostgreSQL, with the connection that leads to it. */
export class Server {
  readonly client: pg.Client;
  readonly pid: number;
  /** Virtual time that its session has; null: none that is certain. */
  #time: number | null = null;
  /** Text of a beginning that waits for the first statement of its transaction: it locks nothing and reads nothing. */
  #beginning: string | null = null;

  constructor(client: pg.Client) {
    this.client = client;
    this.pid = (client as unknown as { processID: number }).processID;
  }

  begin(text: string): void {
    if (!BEGINNING.test(text)) throw new Error(`impossible: a transaction that begins with ${text}`);
    this.#beginning = text;
  }

  /**
   * Lets the next statement be preceded by what it needs: the beginning of its transaction, and the virtual time.
   * @returns false when nothing is to be sent: a transaction ends that has had no statement
   */
  precede(text: string, now: number): boolean {
    const beginning = this.#beginning;
    this.#beginning = null;
    if (ENDS.has(verbOf(text))) return beginning === null;
    const first: Prepared[] = [];
    if (beginning !== null) {
      first.push({ statement: BEGIN, values: [] });
      for (const [, name, value] of beginning.matchAll(SETTING))
        first.push({ statement: SET_LOCAL, values: [name, value] as string[] });
    }
    if (this.#time !== now) first.push({ statement: SET, values: ['simulation.now', (now / 1000).toFixed(3)] });
    this.#time = now;
    connectionOf(this.client).first = first;
    return true;
  }

  /** A transaction that ends without a commit takes back the time that was set in it. */
  forgetTime(): void {
    this.#time = null;
  }

  /** Ends its transaction, if it is in one. */
  async reset(): Promise<void> {
    this.#beginning = null;
    this.#time = null;
    await outside(() => this.client.query('rollback'));
  }
}

const ENDS = new Set(['commit', 'rollback']);

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
    for (const statement of PREPARED) await client.query(statement);
    await client.query('rollback');
    await prepareScopes(client);
    const server = new Server(client);
    this.#all.push(server);
    return server;
  }
}

function parametersOf(client: pg.Client): pg.ClientConfig {
  return (client as unknown as { connectionParameters: pg.ClientConfig }).connectionParameters;
}
