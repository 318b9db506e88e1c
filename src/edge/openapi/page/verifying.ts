/** Sample code that verifies a delivery, in the order of the rules; test/openapi/page.test.ts runs it. */
export const VERIFYING = `import { createHmac, timingSafeEqual } from 'node:crypto';

export function isOurs(headers, rawBody, secret) {
  const sent = headers['x-service-signature'] ?? '';
  const at = headers['x-service-timestamp'] ?? '';
  if (!sent.startsWith('v1=')) return false;
  const digest = createHmac('sha256', secret)
    .update(\`\${at}.\`)
    .update(rawBody) // the bytes as they came
    .digest('hex');
  const expected = Buffer.from(\`v1=\${digest}\`);
  const actual = Buffer.from(sent);
  return (
    actual.length === expected.length &&
    timingSafeEqual(actual, expected) &&
    Math.abs(Date.now() / 1000 - Number(at)) <= 300
  );
}`;
