import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stepOf } from '../../src/providers/adapters/cinetpay/codes.ts';
import { creationOf as flutterwave } from '../../src/providers/adapters/flutterwave/codes.ts';
import { promptOf } from '../../src/providers/adapters/mpesa-daraja/codes.ts';
import { creationOf as mtn } from '../../src/providers/adapters/mtn-momo/codes.ts';
import { acceptanceOf } from '../../src/providers/adapters/pawapay/codes.ts';
import { refundResultOf, payoutOf } from '../../src/providers/adapters/wave/codes.ts';
import type { Reply } from '../../src/providers/adapters/wire/reply.ts';

/** What each adapter reads in the answer to a submission. */
const READERS: Record<string, (reply: Reply) => { kind: string }> = {
  pawapay: acceptanceOf,
  flutterwave,
  'mtn-momo': mtn,
  'mpesa-daraja': promptOf,
  cinetpay: stepOf,
  'wave payout': (reply) => payoutOf(reply, 'key', 1),
  'wave refund': refundResultOf,
};
/** Rejections that speak of something that is there, or that may still be carried out. */
const WORDS = [
  'Transaction has already been refunded',
  'RESOURCE_ALREADY_EXIST',
  'Duplicate transaction reference',
  'A similar request is being processed',
  'Request timed out at the processor',
  'Timeout',
  'No response from the operator',
  'A request with this key is in progress',
  'Transaction déjà effectuée',
];
const STATUSES = [400, 401, 403, 404, 429];

const rejected = (status: number, text: string): Reply => ({
  ...{ kind: 'answered', status },
  body: { status: 'error', code: text, message: text, errorMessage: text, failureReason: { failureMessage: text } },
});

for (const [name, read] of Object.entries(READERS)) {
  test(`a rejection by ${name} that speaks of something there already, or still under way, does not prove that nothing was created`, () => {
    for (const status of STATUSES) {
      for (const text of WORDS) {
        const { kind } = read(rejected(status, text));
        assert.ok(['unclear', 'unknown', 'exists'].includes(kind), `HTTP ${status} ${text}: ${kind}`);
      }
    }
  });

  test(`any other rejection by ${name} still proves that nothing was created`, () => {
    const { kind } = read(rejected(403, 'The account may not do this: it does not exist'));
    assert.ok(['unavailable', 'not_created', 'not_sent', 'not_done'].includes(kind), kind);
  });
}

test('MTN: a reference that exists is known, under whatever status it is said', () => {
  for (const status of [400, 409, 500]) assert.equal(mtn(rejected(status, 'RESOURCE_ALREADY_EXIST')).kind, 'exists');
});
