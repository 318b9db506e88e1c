import net from 'node:net';
import { takeJobs } from './jobs.ts';
import { MARK, nextSerial } from './serial.ts';
import { type Counted, Tally, type Windowed } from './tally.ts';

export interface LoadJob extends Windowed {
  port: number;
  connections: number;
  /** Whole HTTP/1.1 requests, taken in turn; {@link MARK} in them is replaced by a new serial each time. */
  requests: string[];
}

export interface LoadResult extends Counted {
  /** Answers that were not 2xx, by status. */
  refused: Record<string, number>;
  /** The first of them. */
  example: string | null;
}

/**
 * The load generator: keep-alive connections that each send the next request when the last is answered. Bare sockets
 * and a parser that knows just what our server writes: on two cores whatever it costs is missing to the service.
 */
class Connection {
  readonly #socket: net.Socket;
  readonly #next: () => string;
  readonly #answered: (since: number, answer: string) => boolean;
  #text = '';
  #since = 0;

  /** @param answered tells whether to go on */
  constructor(
    port: number,
    next: () => string,
    answered: (since: number, answer: string) => boolean,
    failed: (error: Error) => void,
  ) {
    this.#next = next;
    this.#answered = answered;
    this.#socket = net.connect({
      port,
      host: '127.0.0.1',
      noDelay: true,
      onread: {
        buffer: Buffer.allocUnsafe(64 * 1024),
        callback: (bytes, buffer) => this.#read((buffer as Buffer).toString('latin1', 0, bytes)),
      },
    });
    this.#socket.on('connect', () => this.#send()).on('error', failed);
    this.#socket.on('end', () => failed(new Error('the service hung up')));
  }

  close(): void {
    this.#socket.removeAllListeners('end').destroy();
  }

  #send(): void {
    this.#text = '';
    this.#since = performance.now();
    this.#socket.write(this.#next(), 'latin1');
  }

  #read(bytes: string): boolean {
    this.#text = this.#text === '' ? bytes : this.#text + bytes;
    if (isWhole(this.#text) && this.#answered(this.#since, this.#text)) this.#send();
    return true;
  }
}

function isWhole(text: string): boolean {
  const head = text.indexOf('\r\n\r\n');
  if (head < 0) return false;
  const length = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, head));
  if (!length) throw new Error(`an answer without Content-Length: ${text.slice(0, head)}`);
  return text.length >= head + 4 + Number(length[1]);
}

function fill(pieces: string[]): string {
  return pieces.length === 1 ? (pieces[0] as string) : pieces.join(nextSerial());
}

takeJobs<LoadJob, LoadResult>(async (job, started) => {
  const requests = job.requests.map((request) => request.split(MARK));
  const tally = new Tally(job, started);
  const refused: Record<string, number> = {};
  let example: string | null = null;
  let turn = 0;
  const next = () => fill(requests[turn++ % requests.length] as string[]);
  const connections = new Set<Connection>();
  try {
    await Promise.all(
      Array.from(
        { length: job.connections },
        () =>
          new Promise<void>((resolve, reject) => {
            const answered = (since: number, answer: string) => {
              tally.add(since);
              if (answer[9] !== '2') {
                refused[answer.slice(9, 12)] = (refused[answer.slice(9, 12)] ?? 0) + 1;
                example ??= answer;
              }
              if (tally.over) resolve();
              return !tally.over;
            };
            connections.add(new Connection(job.port, next, answered, reject));
          }),
      ),
    );
  } finally {
    for (const connection of connections) connection.close();
  }
  return { ...tally.result(), refused, example };
});
