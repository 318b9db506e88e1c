/*
 * What keeps a store from being distributed by team_id (docs/decisions/0077-distribution.md): every entry has its reason, and
 * test/db/distribution.test.ts fails for a table, key or identity column that is neither ready nor listed.
 */

/** Tables without team_id: copied to every node (reference), or on one node only (local). */
export const UNDISTRIBUTED: Readonly<Record<string, { kind: 'reference' | 'local'; reason: string }>> = {
  schema_migrations: { kind: 'local', reason: 'names of the applied migrations; read and written by the migration only' },
  work_members: { kind: 'local', reason: 'one row for each worker process; no statement joins it with rows of teams' },
  audit_group_seals: { kind: 'local', reason: 'sixteen chains, each over the entries of a group of teams; keyed by the group' },
  audit_seals: { kind: 'local', reason: 'the chain over all teams that earlier releases sealed; read by verification only' },
  ledger_group_seals: { kind: 'local', reason: 'sixteen chains, each over the journals of a group of teams; keyed by the group' },
  ledger_seals: { kind: 'local', reason: 'the chain over all teams that earlier releases sealed; read by verification only' },
};

/** Unique indexes of other tables that lack team_id. */
export const KEYS: Readonly<Record<string, string>> = {
  deliveries_pkey: 'key (id); replaced when deliveries are partitioned',
};

/** Tables without a primary key. */
export const KEYLESS: Readonly<Record<string, string>> = {
  mails: 'partitioned by a time that is not part of its key, so that each partition has the key by itself',
};

/** Identity columns: each sequence belongs to one node, or is divided among nodes. */
export const IDENTITIES: Readonly<Record<string, string>> = {
  'audit_entries.id': 'stays: the key is (team_id, id), and ids order the entries of one transaction, which one node writes',
  'audit_seals.id': 'stays: in a local table of earlier releases',
  'balance_deltas.id': 'stays: the key is (team_id, id); ids only tell rows apart until they are folded, in any order',
  'deliveries.id': 'replaced when deliveries are partitioned',
  'journals.id':
    'stays: the key is (team_id, id), ids order the journals of one transaction, and statements page by the id within a team',
  'ledger_seals.id': 'stays: in a local table of earlier releases',
  'reconciliation_breaks.id': 'stays: the key is (team_id, id); people name a break by its number, so that it must stay short',
  'search_changed.n': 'stays: the key is (team_id, kind, id, n); numbers only tell changes of one row apart',
};
