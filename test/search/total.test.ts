import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Sql } from '../../src/kit/sql.ts';
import type { Candidates } from '../../src/platform/search/candidates.ts';
import type { IdRange, Matches, Searching } from '../../src/platform/search/search.ts';
import { countParts } from '../../src/platform/search/total.ts';

const ROWS = 65_536;

function idOf(segment: number, position: number): string {
  return `${segment}`.padStart(13, '0') + `${position}`.padStart(13, '0');
}

function segmentsOf(count: number) {
  return Array.from({ length: count }, (_, i) => ({ segment: i + 1, last_id: idOf(i + 1, 99_999), row_count: ROWS }));
}

/** A search in segments whose candidates are given by the number of the segment. */
function searchOf(count: number, candidates: (segment: number) => { dense: boolean; positions: number[] }): Searching {
  const read = async (segments: Candidates['segment'][]) =>
    segments.map((segment) => {
      const { dense, positions } = candidates(segment.segment);
      const set = new Uint32Array(ROWS / 32);
      for (const position of positions) (set[position >>> 5] as number) |= 1 << (position & 31);
      return { segment, positions: set, count: positions.length, dense };
    });
  // The statement that reads the ids at positions of segments.
  const maybe = async ({ values }: Sql) => {
    const [, segments, positions] = values as [string[], number[], string[]];
    return {
      ids: segments
        .map((n, i) =>
          numbersOf(positions[i] as string)
            .map((position) => idOf(n, position))
            .join(''),
        )
        .join(''),
    };
  };
  const index = { segments: segmentsOf(count), changed: [] };
  return {
    ...{ db: { maybe }, corpus: { team_id: 1n, kind: 'x' }, index, prefix: '' },
    candidates: { exact: false, read },
  } as unknown as Searching;
}

function numbersOf(text: string): number[] {
  return text.slice(1, -1).split(',').map(Number);
}

/** Counts with a deadline that has passed after some statements. @returns the known counts by number of the segment */
async function countedUntil(context: TestContext, searching: Searching, statements: number): Promise<[number, number][]> {
  let done = 0;
  context.mock.method(performance, 'now', () => done);
  const matches = {
    // Rows that no segment covers are counted first, and always.
    counts: async (ranges: IdRange[]) => {
      if (ranges.some(({ to }) => to !== null)) done++;
      return ranges.map(() => 7);
    },
    ids: async ({ ids }: { ids: string[] }) => {
      done++;
      return ids;
    },
  } as unknown as Matches<{ id: string }>;
  const known = new Map<number, number>();
  const counting = { range: { after: null, to: null }, only_text: true, known, deadline: statements };
  await assert.rejects(countParts(searching, matches, counting), /found too often/);
  return [...known].sort(([one], [other]) => one - other);
}

test('a count of whole segments that takes too long keeps what each statement counted', async (context) => {
  const searching = searchOf(6, () => ({ dense: true, positions: [] }));
  assert.deepEqual(await countedUntil(context, searching, 2), [
    [1, 7],
    [2, 7],
    [3, 7],
    [4, 7],
  ]);
});

test('a count of single rows that takes too long keeps the segments that it has finished', async (context) => {
  const positions = Array.from({ length: 3_000 }, (_, i) => i);
  const searching = searchOf(6, () => ({ dense: false, positions }));
  // Two statements compare 8,192 rows.
  assert.deepEqual(await countedUntil(context, searching, 2), [
    [1, 3_000],
    [2, 3_000],
  ]);
});
