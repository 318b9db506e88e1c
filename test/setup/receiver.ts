import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { selfSigned } from './certificate.ts';

/** One POST as it came in. */
export interface Received {
  path: string;
  headers: Record<string, string>;
  body: Buffer;
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever shape they expect and fail when it is not there
  event: any;
  /** Milliseconds since the epoch. */
  at: number;
}

/** What the receiver does with a request: a status, or the answer written by hand. */
export type Behaviour = number | ((response: ServerResponse, received: Received) => void);

export interface Receiver {
  /** https address; any path below it is received. */
  url: string;
  received: Received[];
  /** For all paths, or for one. */
  behave(behaviour: Behaviour, path?: string): void;
  /** Waits until so many have come. */
  waitFor(count: number, deadline_ms?: number): Promise<Received[]>;
  close(): Promise<void>;
}

/** A merchant's server: https with a self-signed certificate, answers 200 unless told otherwise. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const behaviours = new Map<string, Behaviour>();
  const server = createServer(selfSigned(), (request, response) => {
    void readBody(request).then((body) => {
      const path = request.url ?? '/';
      const one = { path, headers: request.headers as Record<string, string>, body, event: parsed(body), at: Date.now() };
      received.push(one);
      const behaviour = behaviours.get(path) ?? behaviours.get('*') ?? 200;
      if (typeof behaviour === 'number') response.writeHead(behaviour).end('ok');
      else behaviour(response, one);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `https://127.0.0.1:${port}`,
    received,
    behave: (behaviour, path = '*') => behaviours.set(path, behaviour),
    waitFor: async (count, deadline_ms = 60_000) => {
      const deadline = Date.now() + deadline_ms;
      while (received.length < count) {
        if (Date.now() > deadline) throw new Error(`received ${received.length} of ${count} within ${deadline_ms} ms`);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      return received;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/**
 * Verifies a delivery as docs/contract/webhooks-and-signatures.md tells receivers to, in that order.
 * @returns what is wrong, or null
 */
export function verify({ headers, body }: Received, secret: string, now = Date.now()): string | null {
  const given = headers['x-service-signature'] ?? '';
  const timestamp = headers['x-service-timestamp'] ?? '';
  if (!given.startsWith('v1=')) return 'no v1= prefix';
  const computed = Buffer.from(createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex'));
  const sent = Buffer.from(given.slice('v1='.length));
  if (sent.length !== computed.length || !timingSafeEqual(sent, computed)) return 'the signature is of something else';
  if (!/^\d+$/.test(timestamp) || Math.abs(now / 1000 - Number(timestamp)) > 300) return 'too old or too new';
  return null;
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return null;
  }
}
