import { entriesChain } from '../../tenants/audit/chains.ts';

/**
 * The immutable fields of a payment, sealed with the entries about it. The creation itself has no entry: the payment's row
 * stores key and request, and this seals them (docs/decisions/0028-audit.md).
 */
const MAKING = `p.key_id, p.request_id, (extract(epoch from p.created_at) * 1000)::bigint, p.amount_minor, p.currency`;
/** Joined payment by payment (`offset 0` prevents another plan): a plain join might read all payments for each seal. */
const PAYMENT = `left join lateral (
  select * from payments where e.resource_id like 'trx\\_%' and payments.team_id = e.team_id and payments.id = e.resource_id offset 0) p on true`;

/** The audit trail of a store. */
export const STORE_ENTRIES = entriesChain({ columns: MAKING, join: PAYMENT });
