import type { IncomingHttpHeaders } from 'node:http';
import { createServer, type ServerResponse } from 'node:http';

/** What happens to one request on its way. */
export type Turn =
  | 'pass'
  /** Reaches the service; the answer is lost. */
  | 'lose_answer'
  /** Never reaches the service. */
  | 'lose_request'
  /** Reaches the service; half of the answer comes. */
  | 'cut_answer'
  /** Nobody answers. */
  | 'hang'
  /** Reaches the service; somebody on the way answers instead, with this status. */
  | { pass: number }
  | { status: number; headers?: Record<string, string>; body?: string };

export interface Weather {
  url: string;
  /** Every request that came, in order. */
  seen: { method: string; path: string; headers: IncomingHttpHeaders; body: string }[];
  /** How many requests have come that nobody answers. */
  readonly hanging: number;
  /** What happens to the next requests, in order; those after them pass. */
  next(...turns: Turn[]): void;
  close(): Promise<void>;
}

/** A way to the service on which things go wrong as told. */
export async function startWeather(target: string): Promise<Weather> {
  const turns: Turn[] = [];
  const seen: Weather['seen'] = [];
  let hanging = 0;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const { method = 'GET', url: path = '/', headers } = request;
    seen.push({ method, path, headers, body });
    const turn = turns.shift() ?? 'pass';
    if (turn === 'hang') return void hanging++;
    if (turn === 'lose_request') return response.destroy();
    if (typeof turn === 'object' && 'status' in turn)
      return void response.writeHead(turn.status, turn.headers).end(turn.body ?? '{}');
    const { host: _, connection: __, ...passed } = headers;
    const answer = await fetch(target + path, {
      method,
      headers: passed as Record<string, string>,
      redirect: 'manual',
      ...(body === '' ? {} : { body }),
    });
    await relay(answer, turn, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    get hanging() {
      return hanging;
    },
    next: (...more) => {
      turns.splice(0, turns.length, ...more);
      seen.length = 0;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function relay(answer: Response, turn: Turn, response: ServerResponse): Promise<void> {
  const text = await answer.text();
  if (turn === 'lose_answer') return void response.destroy();
  if (typeof turn === 'object' && 'pass' in turn) return void response.writeHead(turn.pass).end('{}');
  const { 'content-length': _, connection: __, 'transfer-encoding': ___, ...headers } = Object.fromEntries(answer.headers);
  response.writeHead(answer.status, { ...headers, 'content-length': Buffer.byteLength(text) });
  if (turn === 'pass') return void response.end(text);
  response.write(text.slice(0, text.length / 2), () => response.destroy());
}
