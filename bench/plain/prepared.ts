import type { Readable, Writable } from 'node:stream';
import pg from 'pg';

/** Stands for a value of this length, in characters, that differs each time. */
export interface Varying {
  length: number;
}

const NAME = 'prepared';
const READY = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]); // ReadyForQuery, idle
/** CommandComplete for one row, `SELECT 1` or `INSERT 0 1`, and the message after it. */
const ONE_ROW = ' 1\0Z';

/**
 * One statement on one connection, prepared and executed again and again. The messages are written by hand, once, and only what
 * differs is changed in them: a driver takes three times the CPU, which the loop would take away from PostgreSQL.
 */
export class Prepared {
  readonly #client: pg.Client;
  readonly #stream: Readable & Writable;
  readonly #message: Buffer;
  readonly #places: number[];
  #end: ((error?: Error) => void) | null = null;

  private constructor(client: pg.Client, { message, places }: Template) {
    this.#client = client;
    this.#stream = client.connection.stream;
    this.#message = Buffer.from(message);
    this.#places = places;
    // From here on this class reads the responses instead of the driver.
    this.#stream.removeAllListeners('data');
    let text = '';
    this.#stream.on('data', (bytes: Buffer) => {
      text += bytes.toString('latin1');
      if (!bytes.subarray(-READY.length).equals(READY)) return;
      const isOne = text.includes(ONE_ROW);
      this.#end?.(isOne ? undefined : new Error(`the statement returned no row: ${text}`));
      text = '';
    });
    this.#stream.on('error', (error) => this.#end?.(error));
  }

  /** Connects and prepares. @param values those that differ as their length */
  static async on(url: string, text: string, values: (string | null | Varying)[]): Promise<Prepared> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(`prepare ${NAME} as ${text}`);
    return new Prepared(client, templateOf(values));
  }

  /** Executes the statement, which has to return one row. @param varying ASCII, in the order of the values */
  run(varying: string[]): Promise<void> {
    for (const [i, value] of varying.entries()) this.#message.write(value, this.#places[i] as number, 'latin1');
    return new Promise((resolve, reject) => {
      this.#end = (error) => (error ? reject(error) : resolve());
      this.#stream.write(this.#message);
    });
  }

  close(): Promise<void> {
    return this.#client.end();
  }
}

interface Template {
  message: Buffer;
  places: number[];
}

/** Bind with all values as text, Execute and Sync. */
function templateOf(values: (string | null | Varying)[]): Template {
  const places: number[] = [];
  const head = Buffer.from(`\0${NAME}\0\0\0`);
  const parts = [head, int16(values.length)];
  let length = 5 + head.length + 2;
  for (const value of values) {
    const bytes = value === null ? Buffer.alloc(0) : typeof value === 'string' ? Buffer.from(value) : Buffer.alloc(value.length);
    if (value !== null && typeof value !== 'string') places.push(length + 4);
    parts.push(int32(value === null ? -1 : bytes.length), bytes);
    length += 4 + bytes.length;
  }
  parts.push(int16(0));
  return {
    message: Buffer.concat([message('B', ...parts), message('E', Buffer.from('\0'), int32(0)), message('S')]),
    places,
  };
}

function message(kind: string, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(kind), int32(body.length + 4), body]);
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}
