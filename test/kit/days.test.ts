import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startOfUtcDay } from '../../src/kit/days.ts';

test('a day is its first moment in UTC', () => {
  assert.equal(startOfUtcDay('1970-01-02'), 86_400_000);
  assert.equal(startOfUtcDay('2024-02-29'), Date.UTC(2024, 1, 29));
});

test('what names no day of the calendar is none', () => {
  const wrong = ['2026-02-29', '2026-02-30', '2026-04-31', '2026-13-01', '2026-00-10', '2026-01-00'];
  const malformed = [
    '',
    '2026',
    '2026-12',
    '2026-1-1',
    '2026-11-23T10:00Z',
    ' 2026-11-23',
    '+275760-09-13',
    '-000001-01-01',
    'soon',
  ];
  for (const text of [...wrong, ...malformed]) assert.equal(startOfUtcDay(text), null, text);
});
