import pg from 'pg';
import { DbClient } from '../../src/platform/db/client.ts';
import { BEGIN } from '../../src/platform/db/scope.ts';
import { machine, type Machine, onMachine, outside } from './virtual.ts';

export type Callback = (error: Error | null, result?: pg.QueryResult) => void;

/** A statement that code of a node wants to run. */
export interface Wish {
  client: pg.Client;
  on: Machine;
  text: string;
  values: readonly unknown[];
  /** Whether it is preceded by the beginning of its transaction. */
  begins: boolean;
  /** Sends it over a connection that leads to the server; the callback gets what the server answers. */
  send(over: pg.Client, callback: Callback): void;
  /** Lets the code of the node go on. */
  answer: Callback;
}

export interface Connecting {
  client: pg.Client;
  on: Machine;
  answer(): void;
}

/** What decides when statements of nodes run, and over which connection. */
export interface Doorkeeper {
  statement(wish: Wish): void;
  connect(connecting: Connecting): void;
  /** A node closes a connection. */
  leave(client: pg.Client): void;
}

/** How the driver reads the rows of a statement. */
interface Columns {
  fields: unknown;
  _parsers: unknown;
  _prebuiltEmptyResultObject: unknown;
}

/** A statement that is prepared on every connection to the server, with its values. */
export interface Prepared {
  statement: string;
  values: string[];
}

/** Parts of the driver's connection that carry the virtual time to the server. */
interface Connection {
  /** Sent before the next prepared statement, in the same message. Its row is ignored. */
  first?: Prepared | null;
  /** Columns of the statements that were prepared on it, by name; null: none. They do not change, so the server describes them once. */
  columns?: Map<string, Columns | null>;
  describe?(message: object): void;
  bind(message: { statement: string; values: string[] }): void;
  execute(message: object): void;
}

interface Hooks {
  /** The statement that was sent before this one has not ended. */
  follows?: boolean;
  name?: string;
  _result: Columns & { command: string | null };
  _accumulateRows: boolean;
  prepare(connection: Connection): void;
  handleDataRow(message: object): void;
  handleCommandComplete(message: object, connection: Connection): void;
}

interface Shape {
  text: string;
  values?: unknown[];
  name?: string;
  /** What the service sends before it (src/platform/db/driver.ts). */
  first?: readonly { name: string }[];
}

type PoolOfDriver = new (options: pg.PoolConfig) => { connect(...args: unknown[]): unknown; newClient(item: unknown): void };

/** Name of what is prepared on every connection to the server. */
export const SET = 'simulation_set';

let doorkeeper: Doorkeeper | null = null;

export function keepDoor(keeper: Doorkeeper | null): void {
  doorkeeper = keeper;
}

export function connectionOf(client: pg.Client): Connection {
  return (client as unknown as { connection: Connection }).connection;
}

/** Connections of nodes. Nothing leads from them to the server: what they send goes over a connection that the doorkeeper chooses. */
const virtual = new WeakSet<pg.Client>();

/** Does to a connection of a node what the driver does when the server ends its connection. */
export function loseConnection(client: pg.Client): void {
  Object.assign(client, { _queryable: false, _ended: true });
  const ended = Object.assign(new Error('terminating connection due to administrator command'), { code: '57P01' });
  outside(() => {
    client.emit('error', ended);
    client.emit('error', new Error('Connection terminated unexpectedly'));
    client.emit('end');
  });
}

/** Makes the driver ask before it sends anything for a node, and send the virtual time along. Once per process. */
export function installDriver(): void {
  type Method = 'query' | 'connect' | 'end' | 'ref';
  const { query, connect, end, ref } = pg.Client.prototype as unknown as Record<Method, (...args: unknown[]) => unknown>;
  const mine = DbClient.prototype as unknown as Record<Method, unknown>;
  mine.query = function (this: pg.Client, config: unknown, values?: unknown, callback?: unknown) {
    const on = machine();
    if (on === null || doorkeeper === null) return query.call(this, config, values, callback);
    const given = (typeof values === 'function' ? values : callback) as Callback | undefined;
    const params = typeof values === 'function' ? undefined : values;
    const shape = (typeof config === 'string' ? { text: config } : config) as Shape;
    const send = (over: pg.Client, done: Callback) => outside(() => query.call(over, prepared(shape), params, done));
    const begins = shape.first?.some(({ name }) => name === BEGIN.name) ?? verbOf(shape.text) === 'begin';
    const wish = { client: this, on, text: shape.text, values: (params as unknown[]) ?? shape.values ?? [], begins, send };
    if (given) {
      doorkeeper.statement({ ...wish, answer: given });
      return config;
    }
    return new Promise((resolve, reject) => {
      doorkeeper?.statement({ ...wish, answer: (error, result) => (error ? reject(error) : resolve(result)) });
    });
  };
  mine.connect = function (this: pg.Client, callback?: (error?: Error) => void) {
    const on = machine();
    if (on === null || doorkeeper === null) return connect.call(this, callback);
    if (!callback)
      return new Promise((resolve, reject) => this.connect((error?: Error | null) => (error ? reject(error) : resolve(this))));
    virtual.add(this);
    doorkeeper.connect({ client: this, on, answer: callback });
    return undefined;
  };
  mine.end = function (this: pg.Client, ...args: unknown[]) {
    if (virtual.has(this)) doorkeeper?.leave(this);
    return end.apply(this, args);
  };
  mine.ref = function (this: pg.Client) {
    if (!virtual.has(this)) ref.call(this);
  };
  // A connection that rests is kept: virtual seconds are short. Deadlines in real time would make a run depend on the machine.
  const Pool = pg.Pool;
  pg.Pool = class extends (Pool as unknown as PoolOfDriver) {
    #on: Machine | null = null;

    constructor(options: pg.PoolConfig) {
      super({ ...options, idleTimeoutMillis: 0, connectionTimeoutMillis: 0, query_timeout: 0 });
    }

    override connect(...args: unknown[]): unknown {
      this.#on = machine() ?? this.#on;
      return super.connect(...args);
    }

    /** The end of a connection reaches this process outside of any node. The node of the pool replaces the connection. */
    override newClient(item: unknown): void {
      if (this.#on === null) super.newClient(item);
      else onMachine(this.#on, () => super.newClient(item));
    }
  } as unknown as typeof Pool;
  sendFirstAlong();
}

const names = new Map<string, string>();

/** The first word of a statement. */
export function verbOf(text: string): string {
  return /^\s*(\w*)/.exec(text)?.[1]?.toLowerCase() ?? '';
}

/** Statements of the protocol of transactions. They read no time, and are sent as they are. */
export const TRANSACTION = new Set(['begin', 'commit', 'rollback']);

/**
 * Names all statements that are not of the protocol of transactions: what goes before a statement is sent with its preparation. The service
 * plans some on each execution because its tables grow (src/kit/sql.ts); those of a world stay small, and planning costs more than executing.
 */
function prepared(shape: Shape): Shape {
  const { text, name } = shape;
  if (name !== undefined || TRANSACTION.has(verbOf(text))) return shape;
  const known = names.get(text) ?? `simulation ${names.size}`;
  names.set(text, known);
  return Object.assign(shape, { name: known });
}

function sendFirstAlong(): void {
  const hooks = pg.Query.prototype as unknown as Hooks;
  const { prepare, handleDataRow, handleCommandComplete } = hooks;
  hooks.prepare = function (this: Hooks, connection) {
    if (connection.first) {
      connection.bind(connection.first);
      connection.execute({});
      this.follows = true;
      connection.first = null;
    }
    const columns = connection.columns?.get(this.name ?? '');
    if (columns === undefined) {
      prepare.call(this, connection);
      return;
    }
    Object.assign(this._result, columns);
    this._accumulateRows = true;
    connection.describe = () => {};
    prepare.call(this, connection);
    delete connection.describe;
  };
  hooks.handleDataRow = function (this: Hooks, message) {
    if (!this.follows) handleDataRow.call(this, message);
  };
  hooks.handleCommandComplete = function (this: Hooks, message, connection) {
    if (this.follows) {
      this.follows = false;
      return;
    }
    if (this.name !== undefined) remember(connection, this.name, this._result);
    handleCommandComplete.call(this, message, connection);
  };
}

function remember(connection: Connection, name: string, { fields, _parsers, _prebuiltEmptyResultObject }: Columns): void {
  connection.columns ??= new Map();
  if (connection.columns.has(name)) return;
  connection.columns.set(name, _parsers === undefined ? null : { fields, _parsers, _prebuiltEmptyResultObject });
}
