import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { COUNTRIES } from '../../src/providers/reference/countries.ts';
import { moment, zoneOf } from '../../src/edge/pages/moment.ts';
import { Printer } from '../../src/edge/receipts/printer.ts';
import type { Receipt } from '../../src/edge/receipts/receipt.ts';
import { winAnsi } from '../../src/edge/receipts/win-ansi.ts';
import { readPdf } from './read-pdf.ts';

const RECEIPT: Receipt = {
  id: 'trx_test_1',
  language: 'fr',
  sandbox: true,
  merchant: 'L’Épicerie & fils <Œuvre> Ẹ̀kọ́',
  brand: '#0b4a5e',
  total: '25\u202f000\u00a0FCFA',
  standing: 'Payé',
  facts: [['Objet', 'Ça, là-bas : dîner “à l’œil” — 10 €\nsuite']],
  items: [],
  sums: [['Total payé', '25\u202f000\u00a0FCFA']],
  paid_at: Date.UTC(2026, 10, 21, 17, 5, 9),
};

describe('the printer', () => {
  // Each test starts a thread, which a busy machine can take longer for than a print may.
  const opened = () => new Printer(120_000);
  let printer = opened();
  afterEach(() => {
    printer.close();
    printer = opened();
  });

  test('prints French accents, and a substitute for letters that the fonts lack', async () => {
    const { text, structure } = readPdf((await printer.print(RECEIPT)) ?? assert.fail());
    assert.match(text, /^L’Épicerie & fils <Œuvre> Eko\n25\u00a0000\u00a0FCFA\nMode test/);
    assert.match(text, /Ça, là-bas : dîner “à l’œil” — 10 € suite/);
    assert.match(structure, /\(D:20261121170509Z\)/, 'made when it was paid');
    assert.doesNotMatch(structure, /JavaScript|\/AA|\/URI|\/Launch/);
  });

  test('prints the same bytes on another thread that is started later', async () => {
    const first = await printer.print(RECEIPT);
    printer.close();
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    assert.deepEqual(await printer.print(RECEIPT), first);
  });

  test('rejects a receipt when the queue is full, and accepts again afterwards', async () => {
    const waiting = Array.from({ length: 32 }, () => printer.print(RECEIPT));
    assert.equal(await printer.print(RECEIPT), null);
    assert.ok((await Promise.all(waiting)).every((bytes) => bytes !== null));
    assert.ok(await printer.print(RECEIPT));
  });

  test('rejects waiting receipts when it is closed, and a receipt that cannot be printed', async () => {
    const waits = printer.print(RECEIPT);
    printer.close();
    await assert.rejects(waits, /the printer was closed/);
    await assert.rejects(printer.print({ ...RECEIPT, facts: null as never }), /facts/);
    assert.ok(await printer.print(RECEIPT), 'one that fails does not stop the next');
  });

  test('ends a thread that takes too long, and rejects all receipts that wait for it', async () => {
    const hasty = new Printer(1);
    const waiting = [hasty.print(RECEIPT), hasty.print(RECEIPT)];
    for (const result of await Promise.allSettled(waiting)) {
      assert.match(String(result.status === 'rejected' && result.reason), /took too long/);
    }
    hasty.close();
  });

  test('does not end the thread at work, although several receipts failed together before', async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] });
    // Neither the thread nor a mocked timer keeps this process running.
    const running = setInterval(() => {}, 1_000);
    context.after(() => clearInterval(running));
    const waiting = [printer.print(RECEIPT), printer.print(RECEIPT)];
    printer.close();
    await Promise.allSettled(waiting);
    const next = printer.print(RECEIPT);
    context.mock.timers.tick(60_000);
    assert.ok(await next);
  });

  test('breaks a long receipt into pages without losing a line', async () => {
    const facts = Array.from({ length: 40 }, (_, i): [string, string] => [`Fait ${i}`, 'mot '.repeat(60).trim()]);
    const { text, structure } = readPdf((await printer.print({ ...RECEIPT, facts })) ?? assert.fail());
    assert.ok(facts.every(([name]) => text.includes(`${name}\n`)));
    assert.ok((structure.match(/\/Type \/Page\n/g) ?? []).length > 1);
  });
});

test('a character that the fonts lack becomes a question mark, and bidirectional controls are removed', () => {
  assert.equal(winAnsi('é\u202fœ€•–’ÿ'), 'é\u00a0œ€•–’ÿ');
  assert.equal(winAnsi('e\u0301 \u2212 \u2011'), 'é - -');
  assert.equal(winAnsi('ﬁ ½'), 'fi ½');
  assert.equal(winAnsi('سلام 😀'), '???? ?');
  assert.equal(winAnsi('a\u202eb\u0000\r\nc'), 'ab c');
});

test('the time is local to the country of the payment, with its UTC offset', () => {
  const at = new Date('2026-07-01T22:30:00Z');
  assert.equal(moment(at, zoneOf('cm.mtn'), 'en'), '1 July 2026 at 23:30 (UTC+1)');
  assert.equal(moment(at, zoneOf('ke.mpesa'), 'fr'), '2 juillet 2026 à 01:30 (UTC+3)');
  assert.equal(moment(at, zoneOf('sn.wave'), 'fr'), '1 juillet 2026 à 22:30 (UTC)');
  assert.equal(moment(at, zoneOf(null), 'en'), '1 July 2026 at 22:30 (UTC)');
  // Too many clocks to choose one.
  const unknown = COUNTRIES.filter(({ code }) => zoneOf(`${code.toLowerCase()}.card`) === 'UTC').map(({ code }) => code);
  assert.deepEqual(unknown, ['US']);
});
