import pg from 'pg';
import { DbClient } from '../../src/platform/db/client.ts';
import { machine, type Machine, onMachine, outside } from './virtual.ts';

export type Callback = (error: Error | null, result?: pg.QueryResult) => void;

/** A statement that code of a node wants to run. */
export interface Wish {
  client: pg.Client;
  on: Machine;
  text: string;
  values: readonly unknown[];
  /** Sends it; the callback gets what the server answers. */
  send(callback: Callback): void;
  /** Lets the code of the node go on. */
  answer: Callback;
}

export interface Connecting {
  client: pg.Client;
  on: Machine;
  send(callback: (error?: Error) => void): void;
  answer(error?: Error): void;
}

/** What decides when statements of nodes run. */
export interface Doorkeeper {
  statement(wish: Wish): void;
  connect(connecting: Connecting): void;
}

/** Parts of the driver's connection that carry the virtual time to the server. */
interface Connection {
  /** Virtual time to set before the next prepared statement; undefined: the session has it. */
  time?: string | undefined;
  bind(message: { statement: string; values: string[] }): void;
  execute(message: object): void;
}

interface Hooks {
  timeIsSet?: boolean;
  prepare(connection: Connection): void;
  handleDataRow(message: object): void;
  handleCommandComplete(message: object, connection: Connection): void;
}

interface Shape {
  text: string;
  values?: unknown[];
  name?: string;
}

type PoolOfDriver = new (options: pg.PoolConfig) => { connect(...args: unknown[]): unknown; newClient(item: unknown): void };

export const SET_TIME = 'simulation_time';

let doorkeeper: Doorkeeper | null = null;

export function keepDoor(keeper: Doorkeeper | null): void {
  doorkeeper = keeper;
}

export function connectionOf(client: pg.Client): Connection & { stream: { destroy(): void } } {
  return (client as unknown as { connection: Connection & { stream: { destroy(): void } } }).connection;
}

/** Makes the driver ask before it sends anything for a node, and send the virtual time along. Once per process. */
export function installDriver(): void {
  const { query, connect } = pg.Client.prototype as unknown as Record<'query' | 'connect', (...args: unknown[]) => unknown>;
  const mine = DbClient.prototype as unknown as Record<'query' | 'connect', unknown>;
  mine.query = function (this: pg.Client, config: unknown, values?: unknown, callback?: unknown) {
    const on = machine();
    if (on === null || doorkeeper === null) return query.call(this, config, values, callback);
    const given = (typeof values === 'function' ? values : callback) as Callback | undefined;
    const params = typeof values === 'function' ? undefined : values;
    const shape = (typeof config === 'string' ? { text: config } : config) as Shape;
    const send = (done: Callback) => outside(() => query.call(this, prepared(shape), params, done));
    const wish = { client: this, on, text: shape.text, values: (params as unknown[]) ?? shape.values ?? [], send };
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
    const send = (done: (error?: Error) => void) => outside(() => connect.call(this, done));
    doorkeeper.connect({ client: this, on, send, answer: callback });
    return undefined;
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
  sendTimeAlong();
}

const names = new Map<string, string>();

/**
 * Names statements that the service plans on each execution because its tables grow (src/kit/sql.ts). The tables of a world stay
 * small, and planning costs more than executing.
 */
function prepared(shape: Shape): Shape {
  const { text, values, name } = shape;
  if (name !== undefined || values === undefined) return shape;
  const known = names.get(text) ?? `simulation ${names.size}`;
  names.set(text, known);
  return Object.assign(shape, { name: known });
}

function sendTimeAlong(): void {
  const hooks = pg.Query.prototype as unknown as Hooks;
  const { prepare, handleDataRow, handleCommandComplete } = hooks;
  hooks.prepare = function (this: Hooks, connection) {
    if (connection.time !== undefined) {
      connection.bind({ statement: SET_TIME, values: [connection.time] });
      connection.execute({});
      connection.time = undefined;
      this.timeIsSet = false;
    }
    prepare.call(this, connection);
  };
  hooks.handleDataRow = function (this: Hooks, message) {
    if (this.timeIsSet !== false) handleDataRow.call(this, message);
  };
  hooks.handleCommandComplete = function (this: Hooks, message, connection) {
    if (this.timeIsSet === false) this.timeIsSet = true;
    else handleCommandComplete.call(this, message, connection);
  };
}
