import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fold, isAmbiguous } from '../../src/platform/search/alphabet.ts';
import type { Bucket } from '../../src/platform/search/bucket.ts';
import { Collector } from '../../src/platform/search/collector.ts';
import { PartBuilder } from '../../src/platform/search/part.ts';
import { addList, appendList, Bytes, countOf, noPositions, positionsIn } from '../../src/platform/search/positions.ts';
import { type ListName, wantedBy } from '../../src/platform/search/wanted.ts';

test('a list of positions is read as it was written, in each of its forms', () => {
  for (const rows of [1, 7, 8, 31, 32, 33, 64, 1_000, 16_384, 65_535, 65_536]) {
    for (const step of [1, 2, 3, 8, 9, 127, 128, 129, 20_000]) {
      for (const first of [0, 1, rows - 1]) {
        const all = Array.from({ length: Math.ceil((rows - first) / step) }, (_, i) => first + i * step).filter(
          (at) => at < rows,
        );
        if (all.length === 0) continue;
        const bytes = new Bytes();
        appendList(bytes, Uint16Array.from(all), rows);
        assert.ok(bytes.length <= 1 + Math.ceil(rows / 8));
        const set = noPositions(rows);
        addList(set, bytes.taken(), rows);
        assert.deepEqual(positionsIn(set), all, `${rows} rows, every ${step} from ${first}`);
        assert.equal(countOf(set), all.length);
      }
    }
  }
});

test('no character outside of the alphabet has a lower or upper case in it, but the ambiguous ones', () => {
  const found: number[] = [];
  for (let code = 0; code <= 0xffff; code++) {
    const text = String.fromCharCode(code);
    if (fold(code) !== 0) {
      assert.equal(fold(fold(code)), fold(code));
      assert.equal(fold(text.toLowerCase().charCodeAt(0)), fold(code), `U+${code.toString(16)}`);
    } else if ([...text.toLowerCase()].some((one) => fold(one.charCodeAt(0)) !== 0 && one.length === 1)) found.push(code);
  }
  assert.deepEqual(
    found.filter((code) => !isAmbiguous(code)).map((code) => code.toString(16)),
    [],
  );
  assert.ok([0x130, 0x1e9e, 0x212a, 0x212b].every(isAmbiguous));
});

async function bucketsOf(rows: readonly string[]): Promise<Bucket[]> {
  const collector = new Collector();
  rows.forEach((text, i) => {
    collector.add(i, [text, null]);
  });
  const buckets = collector.buckets(rows.length, async () => {});
  return Array.fromAsync(buckets, (bucket) => ({ ...bucket, lists: Buffer.from(bucket.lists) }));
}

function positionsOf(buckets: readonly Bucket[], { bucket, third }: ListName, rows: number): number[] {
  const found = buckets.find((one) => one.bucket === bucket);
  const set = noPositions(rows);
  const at = found?.thirds.indexOf(third) ?? -1;
  // A bucket without a list of all of its rows is read whole.
  const chosen = at >= 0 ? [at] : third === '\u0002' ? [...(found?.ends.keys() ?? [])] : [];
  for (const i of chosen) addList(set, (found as Bucket).lists.subarray(found?.ends[i - 1] ?? 0, found?.ends[i]), rows);
  return positionsIn(set);
}

test('the lists that a text wants contain all rows with the text, and no others when they are exact', async () => {
  const rows = [
    'Awa Ndiaye',
    'AWA',
    'wa',
    'w',
    'Chloé',
    'CHLOÉ',
    'aw\u{1f600}a',
    '\u212aelvin',
    'kelvin',
    'Ÿves',
    '100%',
    '',
    'a b',
  ];
  const buckets = await bucketsOf(rows);
  for (const text of [
    'a',
    'aw',
    'awa',
    'wa ',
    'chlo',
    'é',
    'loé',
    'LOÉ',
    '\u{1f600}',
    'w\u{1f600}',
    'k',
    'ké',
    'ÿ',
    '%',
    '00%',
    'zz',
    'a b',
    '😀a',
  ]) {
    const { all, or, exact } = wantedBy(text);
    const sets = all.map((list) => positionsOf(buckets, list, rows.length));
    const ambiguous = or ? positionsOf(buckets, or, rows.length) : [];
    const candidates = rows.map((_, i) => i).filter((i) => sets.every((set) => set.includes(i)) || ambiguous.includes(i));
    const ascii = /^[ -~]*$/.test(text);
    const lower = (one: string) => (ascii ? one.replace(/[A-Z]/g, (letter) => letter.toLowerCase()) : one.toLowerCase());
    const found = rows.map((_, i) => i).filter((i) => lower(rows[i] as string).includes(lower(text)));
    if (exact) assert.deepEqual(candidates, found, text);
    else for (const i of found) assert.ok(candidates.includes(i), `${text} in ${rows[i]}`);
  }
});

test('a large bucket has a list of all of its rows', async () => {
  const rows = Array.from({ length: 4_000 }, (_, i) => `ab${String.fromCharCode(48 + (i % 10))}`);
  const buckets = await bucketsOf(rows);
  assert.ok(buckets.find(({ bucket }) => bucket === 'ab')?.thirds.includes('\u0002'));
  assert.equal(positionsOf(buckets, { bucket: 'ab', third: '\u0002' }, 4_000).length, 4_000);
});

test('the lists of a batch share one piece of memory, so that a freed segment leaves no holes', async () => {
  const part = new PartBuilder('trx_');
  for (let i = 0; i < 3_000; i++)
    part.add({ id: `trx_${i}`, texts: [[`order ${i * 7_919}`, `name ${(i * 104_729).toString(36)}`]] });
  const { batches, row_count } = await part.built(null, async () => {});
  assert.equal(row_count, 3_000);
  assert.ok(batches.flat().length > 500, String(batches.flat().length));
  for (const batch of batches) assert.equal(new Set(batch.map(({ lists }) => lists.buffer)).size, 1);
});
