import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RawCallback } from '../../src/providers/adapters/contract.ts';
import { readBody } from '../../simulators/kit/calls.ts';

const MAX_MS = 30_000;

/** Where a simulator's callbacks arrive, byte for byte. */
export class Mailbox {
  readonly received: RawCallback[] = [];
  #server: Server | undefined;

  async open(): Promise<string> {
    const server = createServer(async (request, response) => {
      const { method = '', headers } = request;
      const url = `http://${headers.host}${request.url}`;
      this.received.push({ method, url, headers: { ...headers }, body: await readBody(request) });
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    this.#server = server;
    return `http://127.0.0.1:${(server.address() as { port: number }).port}/callbacks`;
  }

  /** The first that names one of these in its address or its body, as it arrives. */
  async next(...names: string[]): Promise<RawCallback> {
    const until = Date.now() + MAX_MS;
    for (;;) {
      const found = this.received.find(({ url, body }) => names.some((name) => url.includes(name) || body.includes(name)));
      if (found) return found;
      assert.ok(Date.now() < until, `no callback within ${MAX_MS} ms`);
      await sleep(10);
    }
  }

  async close(): Promise<void> {
    this.#server?.closeAllConnections();
    await new Promise<void>((resolve) => (this.#server ? this.#server.close(() => resolve()) : resolve()));
  }
}

const LONG = `{"depositId":"${'a'.repeat(100_000)}"}`;

/** What anyone may send to an address that is open to the world. */
export const GARBAGE: readonly RawCallback[] = [
  '',
  '{',
  'null',
  '[]',
  '"text"',
  '{"depositId":1}',
  '{"depositId":"00000000-0000-4000-8000-000000000000","status":"COMPLETED","amount":"1","currency":"XAF"}',
  '{"status":{"toString":1},"externalId":{},"amount":[]}',
  '<html></html>',
  LONG,
  '\u0000\ufffd',
].flatMap((text) =>
  [
    {},
    {
      signature: 'sig-pp=:AAAA:',
      'signature-input': 'sig-pp=("@method");keyid="x";alg="ecdsa-p256-sha256"',
      'content-digest': 'x',
    },
    { signature: ['a', 'b'], 'signature-input': '((((', 'content-digest': 'sha-512=:=:', 'signature-date': 'yesterday' },
  ].map((headers) => ({
    method: 'POST',
    url: 'http://127.0.0.1:9/callbacks/account?x=%E0%A4%A',
    headers: { 'content-type': 'application/json', ...headers },
    body: Buffer.from(text),
  })),
);
