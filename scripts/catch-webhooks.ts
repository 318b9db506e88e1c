import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import { readConfig } from '../src/platform/config/config.ts';
import { readKeysFile } from '../src/program/start/demo.ts';
import { selfSigned } from '../test/setup/certificate.ts';

/**
 * `npm run webhooks`: an https receiver on this machine that registers itself as a sandbox endpoint of the demo team,
 * verifies every delivery as a merchant should, prints it, and removes its endpoint on Ctrl-C.
 */
const keys = readKeysFile(readConfig(process.env));
if (!keys) {
  console.error('No keys.json yet: run npm start first, in another terminal.');
  process.exit(1);
}

const TOLERANCE_SECONDS = 300;
let secret = '';

const server = createServer(selfSigned(), async (request, response) => {
  const body = await readBody(request);
  const fault = verify(request.headers, body);
  response.writeHead(fault ? 400 : 200).end();
  if (fault) return console.log(`  refused: ${fault}`);
  const event = JSON.parse(body.toString());
  console.log(`  ${event.created}  ${event.event}  ${event.id}  signature ok`);
  console.log(`      ${JSON.stringify(event.data).slice(0, 200)}`);
});

server.listen(0, '127.0.0.1', async () => {
  const { port } = server.address() as { port: number };
  const { webhook } = await call('POST', '/webhooks', {
    url: `https://127.0.0.1:${port}/hook`,
    description: 'npm run webhooks',
  });
  secret = webhook.secret;
  console.log(`Endpoint ${webhook.id} at ${webhook.url}. Waiting for events; stop with Ctrl-C.`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, async () => {
      await call('DELETE', `/webhooks/${webhook.id}`).catch(() => {});
      process.exit(0);
    });
  }
});

/** Verifies in the order of docs/contract/webhooks-and-signatures.md: prefix, digest over the raw bytes in constant time, age. */
function verify(headers: IncomingMessage['headers'], body: Buffer): string | null {
  const [signature, timestamp] = [String(headers['x-service-signature']), String(headers['x-service-timestamp'])];
  if (!signature.startsWith('v1=')) return 'no v1 signature';
  const expected = Buffer.from(createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex'));
  const given = Buffer.from(signature.slice('v1='.length));
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return 'the signature does not match';
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > TOLERANCE_SECONDS) return 'the timestamp is too old';
  return null;
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

async function call(method: string, path: string, body?: object) {
  const response = await fetch(`${keys?.base_url}${path}`, {
    method,
    headers: { authorization: keys?.sandbox.secret ?? '', 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const answer = await response.json();
  if (!response.ok) {
    console.error(`${method} ${path} answered ${response.status}: ${(answer as { message: string }).message}`);
    process.exit(1);
  }
  // biome-ignore lint/suspicious/noExplicitAny: the shape is the API's, and a wrong one is visible at once
  return answer as any;
}
