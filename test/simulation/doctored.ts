import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Doctored } from './doctor.ts';
import { judge } from './oracle.ts';
import { soundSnapshot } from './sound-snapshot.ts';

/** One test for each doctored world: the oracle must name what is wrong with it. */
export function testDoctored(worlds: readonly Doctored[]): void {
  for (const { what, says, doctor } of worlds) {
    test(`the oracle finds ${what}`, () => {
      const snapshot = soundSnapshot();
      doctor(snapshot);
      const found = judge(snapshot);
      assert.ok(
        found.some((difference) => says.test(difference)),
        `${says} is not among ${JSON.stringify(found, null, 1)}`,
      );
    });
  }
}
