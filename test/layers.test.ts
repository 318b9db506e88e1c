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
  'a table after a comma': 'sql`select 1 from payments p, refunds r`',
  'a table after the comma of a subquery': 'sql`select 1 from (select id, max(id) from payments group by 1) p, refunds r`',
  'a table after the comma of a join': 'sql`select 1 from payments p join attempts a on a.id = p.id, refunds r`',
  'a table in the list of an update': 'sql`update payments p set status = 1 from attempts a, refunds r where true`',
  'a table after `using`': 'sql`delete from payments p using attempts a, refunds r where true`',
  'a join in parentheses': 'sql`select 1 from (payments p join refunds r on true)`',
  'a table after `lateral` and `only`': 'sql`select 1 from payments p, lateral (select 1 from only refunds) r`',
  'a table with its schema': 'sql`select 1 from public.refunds`',
  'a table in quotation marks': 'sql`select 1 from "refunds"`',
  'a table in a fragment inside a statement': `sql\`select \${fixed(\`(select 1 from refunds)\`)} from payments\``,
  'a table in a text between quotation marks': "fixed('select 1 from refunds')",
  'a table that is emptied': 'sql`truncate table attempts`',
  'a write whose table a fragment names': `sql\`update \${table} set status = 1\``,
};

for (const [name, text] of Object.entries(BREACHES)) {
  test(`${name} is a fault`, () => assert.equal(faultsOf('src/core/payments/planted-store.ts', text).length, 1));
}

const SOUND = {
  'a read of a table of a room below': 'sql`select 1 from attempts`',
  'a table that a comment names': '// update refunds `update refunds`\n/* `from refunds` */',
  'a table that a comment in SQL names': 'sql`select 1 -- from refunds\nfrom attempts`',
  'a text in SQL that looks like a table': "sql`select 'from refunds' from attempts`",
  'columns named like a table':
    'sql`insert into payments (id, refunds) select p.id, p.refunds from payments p order by p.id, refunds`',
  'a lock of the own rows': `sql\`select 1 from payments for update\${SKIPPED}\``,
};

for (const [name, text] of Object.entries(SOUND)) {
  test(`${name} is no fault`, () => assert.deepEqual(faultsOf('src/core/payments/planted-store.ts', text), []));
}

test('a folder that is not in src/layers.ts is a fault', () => {
  const file = 'src/core/planted/file.ts';
  assert.deepEqual(faultsOf(file, ''), [`${file}: the room planted is not in src/layers.ts`]);
});
