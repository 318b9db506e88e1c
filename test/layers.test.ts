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
  'an import with a comment before its path': "import { charge } from /* charging */ '../charge/charge.ts';",
  'require() of a room above': "createRequire(import.meta.url)('../charge/charge.ts');",
  'import() of a path in a variable': "const path = '../charge/charge.ts';\nawait import(path);",
  'a worker of a room above': "new Worker(new URL('../charge/charge.ts', import.meta.url));",
  'a reference to a room above': '/// <reference path="../charge/charge.ts" />',
  'an import of tests or scripts': "import { layerFaults } from '../../../scripts/layers.ts';",
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
  'a table that is emptied with others': 'sql`truncate payments, attempts`',
  'a table that is copied into': 'sql`copy attempts from stdin`',
  'a table that is altered': 'sql`alter table if exists attempts add column planted text`',
  'a write after a comment in SQL': 'sql`update /* all */ attempts set status = 1`',
  'a write after a text with two hyphens': "sql`with a as (select '--') update attempts set status = 1`",
  'a table with its database and schema': 'sql`update live.public.attempts set status = 1`',
  'a write to which the table is appended': "fixed('update ' + table)",
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
  'a button that copies': `html\`Copy \${name}\``,
  'a lock of the own rows': `sql\`select 1 from payments for update\${SKIPPED}\``,
};

for (const [name, text] of Object.entries(SOUND)) {
  test(`${name} is no fault`, () => assert.deepEqual(faultsOf('src/core/payments/planted-store.ts', text), []));
}

test('a room in another layer is a fault', () => {
  const file = 'src/edge/ledger/file.ts';
  assert.deepEqual(faultsOf(file, ''), [`${file}: the room ledger is in src/money`]);
});

test('a folder that is not in src/layers.ts is a fault', () => {
  const file = 'src/core/planted/file.ts';
  assert.deepEqual(faultsOf(file, ''), [`${file}: the room planted is not in src/layers.ts`]);
});
