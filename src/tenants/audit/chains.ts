import type { Store } from '../../platform/db/stores.ts';
import { type Db, fixed, part, type Queryable } from '../../kit/sql.ts';
import { type Chain, inGroup, orderOf, sealNext } from '../../platform/chain/store.ts';
import { chainSweep } from '../../platform/chain/sweep.ts';
import type { Sweep } from '../../platform/work/sweep.ts';

const BATCH = 1_000;

/** Every column of an entry: one JSON array per line of text, in the order of writing. */
const ENTRY = `e.tx::text, e.team_id, e.id, (extract(epoch from e.created_at) * 1000)::bigint, e.actor, e.actor_id, e.request_id,
  e.address, e.action, e.resource_id`;

/**
 * Returns the sweep that seals the audit trail of a store.
 * @param chain the trail, with the data that is sealed together with its entries
 */
export function auditSealSweep(store: Store, chain: Chain): Sweep {
  return chainSweep(store, 'audit-seal', chain);
}

/**
 * Returns the sweep that seals the audit trail of the control database. It runs beside the sweeps of live, on any number of workers:
 * one seals at a time.
 */
export function controlSealSweep(control: Db): Sweep {
  return chainSweep({ environment: 'live', db: control }, 'control-seal', CONTROL_ENTRIES);
}

/** Seals all entries of the control database that are not sealed yet, without the usual delay. */
export async function sealControl(control: Queryable): Promise<void> {
  await sealNext(control, CONTROL_ENTRIES, BATCH, 0);
}

/** The audit trail of the control database. */
export const CONTROL_ENTRIES = entriesChain();

/**
 * Returns an audit trail: that of a store, or that of the control database, which is never distributed.
 * @param beside data that a store seals together with an entry `e`: a join, and the columns it adds
 */
export function entriesChain(beside?: { columns: string; join: string }): Chain {
  const columns = fixed(beside ? `${ENTRY}, ${beside.columns}` : ENTRY);
  return {
    lock: 7_340_113,
    rows: 'audit_entries',
    seals: 'audit_seals',
    counted: 'entries',
    group_seals: beside ? 'audit_group_seals' : null,
    sealed: (from, to, previous, group) => part`
      select count(*)::integer as count, sha256(${previous} || convert_to(coalesce(
        string_agg(json_build_array(${columns})::text || E'\\n', '' order by ${orderOf('e', group)}), ''), 'UTF8')) as hash
      from audit_entries e ${fixed(beside?.join ?? '')} 
      where ${group ? inGroup('e', group, from, to) : part`e.tx >= ${from} and e.tx < ${to}`}`,
  };
}
