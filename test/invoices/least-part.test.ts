import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPayableAmount, needsParts, partOf } from '../../src/edge/invoices/part.ts';
import type { InvoiceRow } from '../../src/edge/invoices/schema.ts';

/** In XAF a payment is of 100 to 50,000,000 francs. Amounts are in hundredths. */
const [LEAST, LARGEST] = [10_000n, 5_000_000_000n];

function invoice(amount_minor: bigint, least_minor: bigint | null, paid_minor = 0n): InvoiceRow {
  const terms = { currency: 'XAF', allow_partial: true, amount_minor, least_minor };
  return { ...terms, status: paid_minor > 0n ? 'partial' : 'sent', paid_minor, refunded_minor: 0n } as InvoiceRow;
}

test('an amount due that no channel takes at once can be paid in parts, whatever the least part is', () => {
  for (const above of [1n, 50n, 99n, 100n, 101n, 5_000n]) {
    for (const below of [0n, 1n, 50n, 99n, 100n, 5_000n]) {
      const due = LARGEST + above * 100n;
      for (const row of [invoice(due, LARGEST - below * 100n), invoice(due + LARGEST, LARGEST - below * 100n, LARGEST)]) {
        assert.ok(needsParts(row));
        const part = partOf(row);
        assert.ok(part, `${above} above the largest payment, the least part ${below} below it`);
        assert.ok(LEAST <= part.least && part.least <= part.most && part.most <= LARGEST);
        assert.ok(due - part.most >= LEAST, 'what is left can be paid');
      }
    }
  }
});

test('the least part holds where the amount due can be paid at once', () => {
  assert.deepEqual(partOf(invoice(LARGEST, 1_000_000n)), { least: 1_000_000n, most: LARGEST - LEAST });
  assert.equal(partOf(invoice(1_000_000n, 1_000_000n)), null);
  assert.equal(partOf(invoice(1_000_000n, 990_001n)), null);
});

test('a payment may be of all that is due, or of a part that leaves nothing or what can be paid', () => {
  const row = { ...invoice(100_000n, null, 60_000n), refunded_minor: 3_000n };
  for (const [amount, payable] of [
    [43_000n, true],
    [40_000n, false],
    [33_100n, false],
    [33_000n, true],
    [10_000n, true],
    [9_900n, false],
    [20_050n, false],
    [43_100n, false],
  ] as const) {
    assert.equal(isPayableAmount(row, amount), payable, String(amount));
  }
});
