import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { EVERY, fillStatement, WAYS } from '../../bench/reconcile-fill.ts';
import { countOf, Ledgers } from './fixture.ts';

/** Several batches, and each kind of break at least once. */
const LINES = WAYS.length * EVERY;

test(`${LINES} lines against as many attempts: exactly the injected breaks are found`, async () => {
  const books = await Ledgers.open();
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pirogue-statement-'));
  try {
    const file = path.join(folder, 'statement.csv');
    await fillStatement(books.url, books.team_id, file, LINES);
    const told: number[] = [];
    const { run, breaks } = await books.reconcile([], {
      ...{ open: () => fs.createReadStream(file), from: null, to: null },
      progress: (step) => void (step.step === 'reading' && told.push(step.lines)),
    });
    assert.deepEqual(breaks.map(({ kind }) => kind).sort(), [...WAYS].sort());
    assert.equal(countOf(run, 'matched'), LINES - 4);
    assert.ok(told.length >= 3, 'it says how far it is');
  } finally {
    fs.rmSync(folder, { recursive: true });
    await books.drop();
  }
});
