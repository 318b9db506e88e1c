import { createHmac, timingSafeEqual } from 'node:crypto';
import type http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { selfSigned } from '../../test/setup/certificate.ts';

/** One delivery that arrived. */
export interface Delivery {
  event_id: string;
  type: string;
  resource_id: string;
  sequence: number;
  /** Whether signature and timestamp are right, as docs/webhooks.md says. */
  valid: boolean;
}

const MAX_SKEW_S = 300;

/** A merchant's receiver of webhooks. It checks each as the documentation tells, and answers 400 to what is wrong. */
export class Receiver {
  readonly deliveries: Delivery[] = [];
  /** Deliveries that were refused because their timestamp is too far from this machine's clock. */
  stale = 0;
  readonly #secrets = new Map<string, string>();
  readonly #known = new Set<string>();
  readonly #server: https.Server;

  constructor() {
    this.#server = https.createServer(selfSigned(), (request, response) => this.#receive(request, response));
  }

  async open(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return (this.#server.address() as AddressInfo).port;
  }

  /** @param path of the merchant's endpoint */
  expect(path: string, secret: string): void {
    this.#secrets.set(path, secret);
  }

  /** Returns whether a valid delivery reported this of a resource. */
  has(resource_id: string, type: string): boolean {
    return this.#known.has(`${resource_id} ${type}`);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #receive(request: http.IncomingMessage, response: http.ServerResponse): void {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const secret = this.#secrets.get(request.url ?? '') ?? '';
      const at = Number(request.headers['x-service-timestamp']);
      const fresh = Math.abs(Date.now() / 1000 - at) <= MAX_SKEW_S;
      if (!fresh) this.stale += 1;
      const valid = fresh && isSigned(String(request.headers['x-service-signature']), `${at}.`, body, secret);
      const event = JSON.parse(body.toString()) as { id: string; event: string; data: { id: string } };
      const sequence = Number(request.headers['x-service-sequence']);
      this.deliveries.push({ event_id: event.id, type: event.event, resource_id: event.data.id, sequence, valid });
      if (valid) this.#known.add(`${event.data.id} ${event.event}`);
      response.writeHead(valid ? 200 : 400).end();
    });
  }
}

export function isSigned(header: string, prefix: string, body: Buffer, secret: string): boolean {
  const wanted = Buffer.from(`v1=${createHmac('sha256', secret).update(prefix).update(body).digest('hex')}`);
  const given = Buffer.from(header);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
