import type { Store } from '../../platform/db/stores.ts';
import { type Fragment, part } from '../../kit/sql.ts';
import { type Chain, inGroup, orderOf } from '../../platform/chain/store.ts';
import { chainSweep } from '../../platform/chain/sweep.ts';
import type { Sweep } from '../../platform/work/sweep.ts';

/**
 * The text that is sealed: every column of every line, one JSON array per line of text, in the order of posting. A journal
 * without lines appears as one line with nulls, so that removing its lines is detected.
 */
const sealedText = (
  group: Fragment | null,
) => part`string_agg(json_build_array(j.tx::text, j.team_id, j.id, j.kind, j.source_id, j.subject_id,
  (extract(epoch from j.created_at) * 1000)::bigint, p.line, p.currency, p.debit, p.credit, p.amount_minor)::text || E'\\n', ''
  order by ${orderOf('j', group)}, p.line)`;

/**
 * The chain of journals. The query works journal by journal (`offset 0` prevents a join): a join might read all lines ever
 * posted for each seal.
 */
export const JOURNALS: Chain = {
  lock: 7_340_112,
  rows: 'journals',
  seals: 'ledger_seals',
  counted: 'journals',
  group_seals: 'ledger_group_seals',
  sealed: (from, to, previous, group) => part`
    select count(distinct j.id)::integer as count, sha256(${previous} || convert_to(coalesce(${sealedText(group)}, ''), 'UTF8')) as hash
    from journals j left join lateral (
      select * from postings p where p.team_id = j.team_id and p.journal_id = j.id offset 0) p on true
    where ${group ? inGroup('j', group, from, to) : part`j.tx >= ${from} and j.tx < ${to}`}`,
};

/** Returns the sweep that seals the journals. */
export function sealSweep(store: Store): Sweep {
  return chainSweep(store, 'ledger-seal', JOURNALS);
}
