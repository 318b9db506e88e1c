import { test } from 'node:test';
import { INVOICE_STATUSES, INVOICE_TRIGGERS, nextInvoiceStatus } from '../../src/edge/invoices/states.ts';
import { compareGolden } from '../setup/golden.ts';

test('every invoice status × every trigger matches the golden table', () => {
  const lines = INVOICE_STATUSES.flatMap((status) =>
    INVOICE_TRIGGERS.map((trigger) => `${status.padEnd(16)} ${trigger.padEnd(24)} ${nextInvoiceStatus(status, trigger) ?? '-'}`),
  );
  compareGolden('invoice-states.txt', lines);
});
