import type { ColumnDef, Constraint, Node } from 'libpg-query';
import type { MigrationFile, Statement } from './file.ts';
import { KEPT_FOR_EVER } from '../../src/platform/db/partitioning/tables.ts';
import { commandsOf, droppedBy, namesIn, stronglyLocked } from './locks.ts';

/** Preparations by earlier migrations. */
export interface History {
  /** `table.constraint`, validated in an earlier file. */
  validated: ReadonlySet<string>;
  /** `table.column` for each validated check that the column is not null. */
  notNull: ReadonlySet<string>;
}

export interface Rule {
  /** Text of the rule: what it forbids, and the alternative. */
  says: string;
  breaks(statement: Statement, file: MigrationFile, history: History): boolean;
}

/** Functions that PostgreSQL evaluates once for all existing rows. */
const STABLE_FUNCTIONS = new Set([
  'now',
  'pirogue_now',
  'transaction_timestamp',
  'statement_timestamp',
  'jsonb_build_object',
  'sha256',
]);
const SERIALS = new Set(['serial', 'bigserial', 'smallserial', 'serial4', 'serial8', 'serial2']);
const REMOVED = [
  ...['OBJECT_TABLE', 'OBJECT_VIEW', 'OBJECT_INDEX', 'OBJECT_FUNCTION', 'OBJECT_SEQUENCE', 'OBJECT_TYPE'],
  ...['OBJECT_TRIGGER', 'OBJECT_SCHEMA'],
];
/** Changes that rewrite the whole table. */
const REWRITES: ReadonlySet<string> = new Set([
  'AT_AlterColumnType',
  'AT_SetLogged',
  'AT_SetUnLogged',
  'AT_SetAccessMethod',
  'AT_SetTableSpace',
]);
const RENAMED = ['OBJECT_TABLE', 'OBJECT_COLUMN', 'OBJECT_VIEW', 'OBJECT_FUNCTION'];

export const RULES: Readonly<Record<string, Rule>> = {
  'index-concurrently': {
    says: 'an index on an existing table stops its writers until it is built: `create index concurrently if not exists`, in a file with the line "-- migration: no transaction"',
    breaks: ({ node }, { created }) => {
      if (!('IndexStmt' in node)) return false;
      const { concurrent = false, if_not_exists = false, relation } = node.IndexStmt;
      return !created.has(relation?.relname ?? '') && !(concurrent && if_not_exists);
    },
  },
  'no-transaction': {
    says: 'what runs concurrently is in a file with the line "-- migration: no transaction", and nothing else is in such a file',
    breaks: ({ node }, { noTransaction }) => isConcurrent(node) !== noTransaction,
  },
  'drop-index-concurrently': {
    says: '`drop index` stops the writers of its table: `drop index concurrently if exists`',
    breaks: ({ node }) =>
      'DropStmt' in node &&
      node.DropStmt.removeType === 'OBJECT_INDEX' &&
      !(node.DropStmt.concurrent === true && node.DropStmt.missing_ok === true),
  },
  'add-column': {
    says: 'this column rewrites or reads the whole table, or the previous release cannot insert rows without it: add it nullable or with a constant default, and constraints later',
    breaks: ({ node }, { created }) => onExisting(node, created) && addedColumns(node).some(isHeavyColumn),
  },
  'add-constraint': {
    says: 'this constraint reads or indexes the whole table under a lock: `not valid` (a later file validates it), or `using index` with one built concurrently',
    breaks: ({ node }, { created }) => onExisting(node, created) && addedConstraints(node).some((one) => !isPrepared(one)),
  },
  'validate-later': {
    says: 'a constraint is validated in a later file than the one that adds it, because this transaction still holds the strong lock',
    breaks: ({ node }, file) => {
      const added = new Set(file.statements.flatMap((other) => addedConstraints(other.node).map(({ conname }) => conname)));
      return commandsOf(node).some(({ subtype, name }) => subtype === 'AT_ValidateConstraint' && added.has(name));
    },
  },
  'set-not-null': {
    says: '`set not null` reads the whole table, unless an earlier file has validated `check (column is not null)`',
    breaks: ({ node }, { created }, { notNull }) =>
      onExisting(node, created) &&
      commandsOf(node).some(({ subtype, name }) => subtype === 'AT_SetNotNull' && !notNull.has(`${tableOf(node)}.${name}`)),
  },
  'alter-type': {
    says: 'this writes the whole table again under a lock, and the previous release expects the old type: add a column',
    breaks: ({ node }, { created }) =>
      onExisting(node, created) && commandsOf(node).some(({ subtype }) => REWRITES.has(subtype ?? '')),
  },
  contract: {
    says: 'the previous release may use it: remove it once no supported release does, with the line "-- migration: contract, unused since <commit of that release>"',
    breaks: ({ node, contract }, { created }) => contract === null && removes(node, created),
  },
  'attach-partition': {
    says: 'attaching a table reads all of it under a lock, unless an earlier file has validated a check of the same range on it',
    breaks: ({ node }, { created }, { validated }) =>
      attachedBy(node).some((table) => !created.has(table) && ![...validated].some((one) => one.startsWith(`${table}.`))),
  },
  rows: {
    says: 'this changes rows of an existing table in the transaction of the migration: let a sweep of the program do it in batches',
    breaks: ({ node }, { created }) => changedTables(node).some((table) => !created.has(table)),
  },
  unreadable: {
    says: 'the rules cannot read what a `do` block does: write the statements themselves',
    breaks: ({ node }) => 'DoStmt' in node,
  },
  protect: {
    says: "a new table of the stores needs row-level security: select pirogue_protect('its_name')",
    breaks: ({ node }, file) =>
      file.kind === 'store' &&
      'CreateStmt' in node &&
      node.CreateStmt.relation?.relpersistence !== 't' &&
      !node.CreateStmt.partbound &&
      !protectedIn(file).has(node.CreateStmt.relation?.relname ?? ''),
  },
  partitioned: {
    says: 'an installation may have partitioned this table by team (`pirogue partition`), and a partitioned table has no storage parameters, foreign keys, constraints made from an index, unique indexes without team_id or row triggers with transition tables',
    breaks: ({ node }) => KEPT_FOR_EVER.some((table) => table === tableNamed(node)) && isImpossiblePartitioned(node),
  },
  'one-strong-lock': {
    says: 'the file locks a second existing table against writes, which then waits for the first: one table in each file',
    breaks: (statement, file) => {
      const before = file.statements.slice(0, file.statements.indexOf(statement));
      const held = new Set(before.flatMap(({ node }) => lockedExisting(node, file)));
      const all = new Set([...held, ...lockedExisting(statement.node, file)]);
      return !file.noTransaction && all.size > held.size && all.size > 1;
    },
  },
};

function lockedExisting(node: Node, { created }: MigrationFile): string[] {
  return stronglyLocked(node).filter((table) => !created.has(table));
}

/** Returns the table that a statement changes, or on which it makes an index or trigger. */
function tableNamed(node: Node): string {
  if ('IndexStmt' in node) return node.IndexStmt.relation?.relname ?? '';
  return 'CreateTrigStmt' in node ? (node.CreateTrigStmt.relation?.relname ?? '') : tableOf(node);
}

function isImpossiblePartitioned(node: Node): boolean {
  if ('CreateTrigStmt' in node) return node.CreateTrigStmt.row === true && (node.CreateTrigStmt.transitionRels ?? []).length > 0;
  if ('IndexStmt' in node) return node.IndexStmt.unique === true && !namesOfIndex(node.IndexStmt.indexParams).includes('team_id');
  return (
    commandsOf(node).some(({ subtype }) => subtype === 'AT_SetRelOptions' || subtype === 'AT_ResetRelOptions') ||
    addedConstraints(node).some(({ contype, indexname }) => indexname !== undefined || contype === 'CONSTR_FOREIGN')
  );
}

function namesOfIndex(columns: readonly Node[] = []): string[] {
  return columns.flatMap((column) => ('IndexElem' in column ? [column.IndexElem.name ?? ''] : []));
}

function tableOf(node: Node): string {
  return 'AlterTableStmt' in node ? (node.AlterTableStmt.relation?.relname ?? '') : '';
}

function onExisting(node: Node, created: ReadonlySet<string>): boolean {
  return !created.has(tableOf(node));
}

function isConcurrent(node: Node): boolean {
  if ('IndexStmt' in node) return node.IndexStmt.concurrent === true;
  if ('DropStmt' in node) return node.DropStmt.concurrent === true;
  if ('ReindexStmt' in node) return namesOfOptions(node.ReindexStmt.params).includes('concurrently');
  return commandsOf(node).some(({ def }) => def && 'PartitionCmd' in def && def.PartitionCmd.concurrent);
}

function namesOfOptions(options: readonly Node[] = []): string[] {
  return options.flatMap((option) => ('DefElem' in option ? [option.DefElem.defname ?? ''] : []));
}

function addedColumns(node: Node): ColumnDef[] {
  return commandsOf(node).flatMap(({ subtype, def }) =>
    subtype === 'AT_AddColumn' && def && 'ColumnDef' in def ? [def.ColumnDef] : [],
  );
}

function constraintsOf({ constraints = [] }: ColumnDef): Constraint[] {
  return constraints.flatMap((one) => ('Constraint' in one ? [one.Constraint] : []));
}

function isHeavyColumn(column: ColumnDef): boolean {
  const constraints = constraintsOf(column);
  const given = constraints.find(({ contype }) => contype === 'CONSTR_DEFAULT');
  const isRequired = constraints.some(({ contype }) => contype === 'CONSTR_NOTNULL');
  const isLight = ({ contype, generated_kind }: Constraint) =>
    ['CONSTR_DEFAULT', 'CONSTR_NULL', 'CONSTR_NOTNULL'].includes(contype ?? '') ||
    (contype === 'CONSTR_GENERATED' && generated_kind === 'v');
  return (
    namesIn(column.typeName).some((name) => SERIALS.has(name)) ||
    !constraints.every(isLight) ||
    (isRequired && !given) ||
    (given !== undefined && functionsIn(given.raw_expr).some((name) => !STABLE_FUNCTIONS.has(name)))
  );
}

/** Returns the functions that an expression calls. */
function functionsIn(tree: unknown): string[] {
  return nodesIn(tree, 'FuncCall').map((call) => namesIn((call as { funcname?: unknown }).funcname).at(-1) ?? '');
}

/** Returns the nodes of a type in a tree, however deep. */
function nodesIn(tree: unknown, type: string): unknown[] {
  if (typeof tree !== 'object' || tree === null) return [];
  return Object.entries(tree).flatMap(([name, below]) => [...(name === type ? [below] : []), ...nodesIn(below, type)]);
}

function addedConstraints(node: Node): Constraint[] {
  return commandsOf(node).flatMap(({ subtype, def }) =>
    subtype === 'AT_AddConstraint' && def && 'Constraint' in def ? [def.Constraint] : [],
  );
}

function isPrepared({ skip_validation = false, indexname }: Constraint): boolean {
  return skip_validation || indexname !== undefined;
}

function removes(node: Node, created: ReadonlySet<string>): boolean {
  if ('DropStmt' in node) {
    const { removeType = 'OBJECT_TABLE' } = node.DropStmt;
    const isTemporary = namesIn(node.DropStmt.objects).includes('pg_temp');
    return REMOVED.includes(removeType) && !isTemporary && droppedBy(node).some((name) => !created.has(name));
  }
  if ('RenameStmt' in node) {
    return RENAMED.includes(node.RenameStmt.renameType ?? '') && !created.has(node.RenameStmt.relation?.relname ?? '');
  }
  if ('AlterObjectSchemaStmt' in node) return true;
  return (
    onExisting(node, created) &&
    commandsOf(node).some(
      ({ subtype, def }) =>
        subtype === 'AT_DropColumn' || subtype === 'AT_DropConstraint' || (subtype === 'AT_ColumnDefault' && def === undefined),
    )
  );
}

function attachedBy(node: Node): string[] {
  return commandsOf(node).flatMap(({ subtype, def }) =>
    subtype === 'AT_AttachPartition' && def && 'PartitionCmd' in def ? [def.PartitionCmd.name?.relname ?? ''] : [],
  );
}

function changedTables(node: Node): string[] {
  if ('TruncateStmt' in node) {
    return (node.TruncateStmt.relations ?? []).flatMap((one) => ('RangeVar' in one ? [one.RangeVar.relname ?? ''] : []));
  }
  // The body of a function runs later.
  if ('CreateFunctionStmt' in node) return [];
  return ['UpdateStmt', 'DeleteStmt', 'MergeStmt']
    .flatMap((type) => nodesIn(node, type))
    .map((change) => (change as { relation?: { relname?: string } }).relation?.relname ?? '');
}

function protectedIn({ statements }: MigrationFile): Set<string> {
  const calls = statements.flatMap(({ node }) => nodesIn(node, 'FuncCall')) as { funcname?: unknown; args?: unknown }[];
  return new Set(
    calls.filter(({ funcname }) => namesIn(funcname).includes('pirogue_protect')).flatMap(({ args }) => namesIn(args)),
  );
}

/** Returns what a file prepares for later files. */
export function preparedBy({ statements }: MigrationFile, before: readonly MigrationFile[]): History {
  const checks = new Map(
    before.flatMap((file) =>
      file.statements.flatMap(({ node }) =>
        addedConstraints(node).map((one): [string, Constraint] => [`${tableOf(node)}.${one.conname}`, one]),
      ),
    ),
  );
  const validated = new Set(
    statements.flatMap(({ node }) =>
      commandsOf(node)
        .filter(({ subtype }) => subtype === 'AT_ValidateConstraint')
        .map(({ name }) => `${tableOf(node)}.${name}`),
    ),
  );
  const notNull = [...validated].flatMap((name) => {
    const test = checks.get(name)?.raw_expr;
    if (!test || !('NullTest' in test) || test.NullTest.nulltesttype !== 'IS_NOT_NULL') return [];
    return namesIn(test.NullTest.arg).map((column) => `${name.split('.')[0]}.${column}`);
  });
  return { validated, notNull: new Set(notNull) };
}
