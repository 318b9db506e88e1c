// Receives webhooks and rejects unsigned deliveries: PIROGUE_WEBHOOK_SECRET=whsec_… node receiver.ts (Node 22.18 or later)
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';

const TOLERANCE_SECONDS = 300;
const MAX_BODY = 1024 * 1024;
const { PORT = '3000', PIROGUE_WEBHOOK_SECRET: secret = '' } = process.env;
// With an empty secret anybody could sign.
if (!secret) throw new Error('PIROGUE_WEBHOOK_SECRET is not set');

/** Whether the delivery is recent and signed with the secret. */
function verify(body: Buffer, signature: string, timestamp: string): boolean {
  if (!signature.startsWith('v1=')) return false;
  const digest = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
  const [expected, given] = [Buffer.from(digest), Buffer.from(signature.slice('v1='.length))];
  if (expected.length !== given.length || !timingSafeEqual(expected, given)) return false;
  return /^\d+$/.test(timestamp) && Math.abs(Date.now() / 1000 - Number(timestamp)) <= TOLERANCE_SECONDS;
}

createServer(async (request, response) => {
  const body = await bodyOf(request).catch(() => null);
  const header = (name: string) => String(request.headers[name] ?? '');
  if (!body || !verify(body, header('x-service-signature'), header('x-service-timestamp'))) {
    response.writeHead(400).end();
    return;
  }
  const event = JSON.parse(body.toString());
  // A real receiver stores the event here, under a unique index on its id, because it can come twice, and works on it after the answer.
  console.log(event.id, event.event);
  response.writeHead(200).end();
}).listen(Number(PORT), '127.0.0.1');

/** The bytes as they came: what a parser made of them has another signature. */
async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY) throw new Error('the body is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
