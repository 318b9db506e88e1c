import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { DELIVERY_HEADERS } from '../../src/edge/openapi/events.ts';
import { deliveryHeaders } from '../../src/money/webhooks/sign.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');

const sent = deliveryHeaders('whsec_test', {
  id: 'whd_1',
  event_type: 'payment.created',
  sequence: 1,
  body: Buffer.from('{}'),
  at: 0,
});
const own = Object.keys(sent).filter((name) => name.startsWith('X-Service-'));

test('the OpenAPI document describes the headers of a delivery and no others', () => {
  assert.deepEqual(
    own.sort(),
    Object.values(DELIVERY_HEADERS)
      .map(({ name }) => name)
      .sort(),
  );
});

for (const page of ['docs/webhooks.md', 'docs/contract/webhooks-and-signatures.md']) {
  test(`${page} has a row for each header of a delivery and for no other`, () => {
    const rows = fs.readFileSync(path.join(ROOT, page), 'utf8').matchAll(/^\| `(X-Service-[\w-]+)` \|/gm);
    assert.deepEqual([...rows].map(([, name]) => name).sort(), own.toSorted());
  });
}
