/**
 * Tables that are kept for ever and grow with every payment, largest first. `pirogue partition` divides them by a hash of `team_id`,
 * which every unique index of theirs contains (docs/decisions/0098-tables-kept-for-ever.md). A migration of them must work on a
 * partitioned table too; `npm run check` verifies this.
 */
export const KEPT_FOR_EVER = [
  'payments',
  'postings',
  'attempts',
  'idempotency_keys',
  'journals',
  'audit_entries',
  'settlement_items',
  'transfers',
  'event_sequences',
] as const;

/** One of these tables. */
export type KeptTable = (typeof KEPT_FOR_EVER)[number];

/** Numbers of partitions that may be chosen. */
export const PARTITION_COUNTS = [4, 8, 16, 32] as const;
export const DEFAULT_PARTITIONS = 8;

/** Schema of the partitions, and of a partitioned table until it takes the place of the original. */
export const PARTITIONS_SCHEMA = 'pirogue_partitions';
