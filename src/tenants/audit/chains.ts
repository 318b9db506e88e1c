import type { Store } from '../../platform/db/stores.ts';
import { type Fragment, fixed, part, type Queryable } from '../../kit/sql.ts';
import { type Chain, sealNext } from '../../platform/chain/store.ts';
import { chainSweep } from '../../platform/chain/sweep.ts';
import type { Sweep } from '../../platform/work/sweep.ts';

const BATCH = 1_000;

/** Every column of an entry: one JSON array per line of text, in the order of writing. */
const ENTRY = `e.tx::text, e.team_id, e.id, (extract(epoch from e.created_at) * 1000)::bigint, e.actor, e.actor_id, e.request_id,
  e.address, e.action, e.resource_id`;

/**
 * The immutable fields of a payment, sealed with the entries about it. The creation itself has no entry: the payment's row
 * stores key and request, and this seals them (docs/decisions/0028-audit.md).
 */
const MAKING = `p.key_id, p.request_id, (extract(epoch from p.created_at) * 1000)::bigint, p.amount_minor, p.currency`;
/** Joined payment by payment (`offset 0` prevents another plan): a plain join might read all payments for each seal. */
const PAYMENT = `left join lateral (
  select * from payments where e.resource_id like 'trx\\_%' and payments.team_id = e.team_id and payments.id = e.resource_id offset 0) p on true`;

/** The audit trail of a store. */
export const STORE_ENTRIES = chainOf(fixed(`${ENTRY}, ${MAKING}`), fixed(PAYMENT));

/** Returns the sweep that seals the audit trail of a store. */
export function auditSealSweep(store: Store): Sweep {
  return chainSweep(store, 'audit-seal', STORE_ENTRIES);
}

/**
 * Seals the new entries of the control database, where no worker may write; also entries that an earlier command left unsealed.
 */
export async function sealControl(control: Queryable): Promise<void> {
  await sealNext(control, CONTROL_ENTRIES, BATCH, 0);
}

/** The audit trail of the control database. */
export const CONTROL_ENTRIES = chainOf(fixed(ENTRY), fixed(''));

function chainOf(columns: Fragment, beside: Fragment): Chain {
  return {
    lock: 7_340_113,
    rows: 'audit_entries',
    seals: 'audit_seals',
    counted: 'entries',
    sealed: (from, to, previous) => part`
      select count(*)::integer as count, sha256(${previous} || convert_to(coalesce(
        string_agg(json_build_array(${columns})::text || E'\\n', '' order by e.tx, e.id), ''), 'UTF8')) as hash
      from audit_entries e ${beside} where e.tx >= ${from} and e.tx < ${to}`,
  };
}
