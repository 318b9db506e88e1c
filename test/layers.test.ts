import assert from 'node:assert/strict';
import { test } from 'node:test';
import { layerFaults, readSources, readTables, roomOf, sourceOf } from '../scripts/layers.ts';
import { LAYERS } from '../src/layers.ts';

/** Returns the faults of one made-up file, without the real files. */
function faultsOf(file: string, text: string): string[] {
  return layerFaults([sourceOf(file, text)], readTables()).filter((fault) => fault.startsWith(`${file}:`));
}

test('every import runs down the layers and every table is written by its own room', () => {
  assert.ok(readSources().length > 500);
  assert.deepEqual(layerFaults(), []);
});

test('every folder below src is a room of src/layers.ts, and every room there is a folder', () => {
  const rooms = LAYERS.flatMap(({ rooms: own }) => Object.keys(own));
  assert.deepEqual([...new Set(readSources().map(({ file }) => roomOf(file)))].sort(), rooms.toSorted());
});

const BREACHES = {
  'an import of a room above': "import { charge } from '../charge/charge.ts';",
  'a type import of a room above': "import type { Charged } from '../charge/charge.ts';",
  'an import of a layer above': "import { eraseCustomer } from '../../edge/erasure/erase.ts';",
  'import() of a room above': "await import('../charge/charge.ts');",
  'a type by import() of a room above': "type Charged = import('../charge/charge.ts').Charged;",
  'an export from a room above': "export * from '../charge/charge.ts';",
  "a write to another room's table": 'sql`update refunds set status = 1`',
  "an insert into a lower room's table": 'sql`insert into attempts (id) values (1)`',
  'a read of a table of a room above': 'sql`select 1 from payments p join refunds r on true`',
};

for (const [name, text] of Object.entries(BREACHES)) {
  test(`${name} is a fault`, () => assert.equal(faultsOf('src/core/payments/planted-store.ts', text).length, 1));
}

test('a read of a table of a room below is no fault, and neither is a table that a comment names', () => {
  const text = '// update refunds `update refunds`\nsql`select 1 from attempts`';
  assert.deepEqual(faultsOf('src/core/payments/planted-store.ts', text), []);
});

test('a folder that is not in src/layers.ts is a fault', () => {
  const file = 'src/core/planted/file.ts';
  assert.deepEqual(faultsOf(file, ''), [`${file}: the room planted is not in src/layers.ts`]);
});
