import type pg from 'pg';
import { idPrefix, lowestIdAt } from '../src/kit/ids.ts';
import { packWhole } from '../src/kit/packing.ts';
import type { Team } from '../src/tenants/teams/schema.ts';

/** Events are kept for 90 days; older payments have none left. */
const RECENT_MS = 60 * 24 * 3_600_000;
/** Payments that one transaction books. */
const BOOKED = 200;
/** Body of an event as it is recorded, with the fields that lists and pages read. */
export const RECORDED_EVENT = JSON.stringify({
  id: 'evt_1',
  event: 'payment.succeeded',
  livemode: true,
  created: '2026-08-01T00:00:00.000Z',
  api_version: '2026-08-01',
  pending_webhooks: 0,
  request: { id: null, idempotency_key: null },
  data: {},
});

/** Columns of an event and of a journal's lines in SQL, from `id`, that of the payment. */
export interface EndedColumns {
  type: string;
  kind: string;
  currency: string;
  /** The account that gets what was captured. */
  credit: string;
}

const ALIKE: EndedColumns = { type: `'payment.succeeded'`, kind: `'payment.succeeded'`, currency: `'XAF'`, credit: `'pending'` };

/**
 * Gives the payments of a team from the last 60 days what the pages of the console add up: the event of their success, and the
 * journal that books it.
 * @returns number of these payments
 */
export async function fillEnded(live: pg.Client, team: Team, columns = ALIKE): Promise<number> {
  const [payment, event] = [idPrefix('trx', 'live'), idPrefix('evt', 'live')];
  const oldest = lowestIdAt('trx', 'live', Date.now() - RECENT_MS);
  const { rowCount } = await live.query(
    `insert into events (team_id, id, type, resource_id, sequence, pending_webhooks, body, created_at)
    select team_id, $3 || substr(id, length($2) + 1), ${columns.type}, id, 1, 0, $4::bytea, created_at
    from payments where team_id = $1 and id >= $5 order by id`,
    [team.id, payment, event, packWhole(RECORDED_EVENT), oldest],
  );
  await bookEnded(live, team, oldest, columns);
  await live.query('vacuum (analyze) events, journals, postings');
  return rowCount ?? 0;
}

/** Books payments from the oldest on, a few hundred in a transaction: seals and sums by day go forward by whole transactions. */
async function bookEnded(live: pg.Client, team: Team, oldest: string, { kind, currency, credit }: EndedColumns): Promise<void> {
  const [payment, attempt] = [idPrefix('trx', 'live'), idPrefix('att', 'live')];
  await live.query('set synchronous_commit = off');
  // A block takes no parameters.
  await live.query(`
    do $$
    declare
      low text collate "C" := '${oldest}';
      high text collate "C";
    begin
      loop
        select max(id) into high from (select id from payments where team_id = ${team.id} and id >= low order by id limit ${BOOKED}) p;
        exit when high is null;
        with booked as (
          insert into journals (team_id, kind, source_id, subject_id, created_at)
          select team_id, ${kind}, '${attempt}' || substr(id, ${payment.length + 1}), id, created_at
          from payments where team_id = ${team.id} and id >= low and id <= high order by id returning team_id, id, subject_id
        ), sides as (
          select team_id, journal_id, ${currency} as currency, ${credit} as credit
          from (select team_id, id as journal_id, subject_id as id from booked) b
        )
        insert into postings (team_id, journal_id, line, currency, debit, credit, amount_minor)
        select team_id, journal_id, line, currency, case line when 1 then 'clearing' else credit end,
          case line when 1 then credit else 'fee_income' end, case line when 1 then 2500000 else 50000 end
        from sides, generate_series(1, 2) line;
        commit;
        low := high || ' ';
      end loop;
    end $$`);
  await live.query('reset synchronous_commit');
}
