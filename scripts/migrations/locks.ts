import type { AlterTableCmd, Node } from 'libpg-query';

/** Changes of a table under a lock that neither reads nor writes conflict with. */
const WEAK: ReadonlySet<string> = new Set([
  'AT_ValidateConstraint',
  'AT_SetStatistics',
  'AT_SetOptions',
  'AT_ResetOptions',
  'AT_SetRelOptions',
  'AT_ResetRelOptions',
  'AT_AttachPartition',
  'AT_ClusterOn',
  'AT_DropCluster',
]);

/** Returns the commands of an `alter table`. */
export function commandsOf(node: Node): AlterTableCmd[] {
  if (!('AlterTableStmt' in node)) return [];
  return (node.AlterTableStmt.cmds ?? []).flatMap((command) => ('AlterTableCmd' in command ? [command.AlterTableCmd] : []));
}

/** Returns the names that a `drop` removes: of a table, or of the table that holds a trigger or policy. */
export function droppedBy(node: Node): string[] {
  if (!('DropStmt' in node)) return [];
  const { objects = [], removeType } = node.DropStmt;
  const ofTable = removeType === 'OBJECT_TRIGGER' || removeType === 'OBJECT_POLICY';
  return objects.map((object) => {
    const parts = namesIn(object);
    return (ofTable ? parts.at(-2) : parts.at(-1)) ?? '';
  });
}

/** Returns the strings in a tree, in order. */
export function namesIn(tree: unknown): string[] {
  if (typeof tree !== 'object' || tree === null) return [];
  if ('sval' in tree && typeof tree.sval === 'string') return [tree.sval];
  return Object.values(tree).flatMap(namesIn);
}

/** Returns the tables that a statement locks against writes, until the transaction ends. */
export function stronglyLocked(node: Node): string[] {
  if ('AlterTableStmt' in node) return node.AlterTableStmt.objtype === 'OBJECT_INDEX' ? [] : alteredTables(node);
  if ('IndexStmt' in node) return node.IndexStmt.concurrent ? [] : [node.IndexStmt.relation?.relname ?? ''];
  if ('LockStmt' in node)
    return (node.LockStmt.relations ?? []).flatMap((one) => ('RangeVar' in one ? [one.RangeVar.relname ?? ''] : []));
  if ('CreateTrigStmt' in node) return [node.CreateTrigStmt.relation?.relname ?? ''];
  if ('CreatePolicyStmt' in node) return [node.CreatePolicyStmt.table?.relname ?? ''];
  if ('RenameStmt' in node) {
    const { renameType, relation } = node.RenameStmt;
    return renameType === 'OBJECT_INDEX' || renameType === 'OBJECT_FUNCTION' ? [] : [relation?.relname ?? ''];
  }
  if ('DropStmt' in node) {
    return ['OBJECT_TABLE', 'OBJECT_TRIGGER', 'OBJECT_POLICY'].includes(node.DropStmt.removeType ?? '') ? droppedBy(node) : [];
  }
  return [];
}

function alteredTables(node: Node): string[] {
  if (!('AlterTableStmt' in node)) return [];
  const table = node.AlterTableStmt.relation?.relname ?? '';
  const strong = commandsOf(node).some(({ subtype }) => !WEAK.has(subtype ?? ''));
  return [...(strong ? [table] : []), ...commandsOf(node).flatMap(alsoLocked)];
}

/** Returns the table that a foreign key references, and the one that becomes a partition. */
function alsoLocked({ def }: AlterTableCmd): string[] {
  if (!def) return [];
  if ('PartitionCmd' in def) return [def.PartitionCmd.name?.relname ?? ''];
  if ('Constraint' in def) return def.Constraint.pktable ? [def.Constraint.pktable.relname ?? ''] : [];
  return [];
}
