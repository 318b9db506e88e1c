import { newId } from '../../src/kit/ids.ts';
import type { Db } from '../../src/kit/sql.ts';

/*
 * Rows of what happened in detail in the last days, for pages that show it: requests, exchanges with providers and callbacks about the
 * refunds and payouts that the walk visits, and deliveries that wait, of which some failed, where a range of events is sent again.
 */

const SPAN_MS = 6 * 86_400_000;
/** Payouts and refunds that share the exchanges. */
const SUBJECTS = 25;

export async function fillDetail(owner: Db, team_id: bigint, rows: number): Promise<void> {
  const team = Number(team_id);
  const now = Date.now();
  const at = (n: number) => now - Math.floor(((rows - n) / rows) * SPAN_MS);
  const insert = async (table: string, row: (n: number) => Record<string, unknown>) => {
    const made = Array.from({ length: rows }, (_, n) => ({ team_id: team, ...row(n) }));
    const columns = Object.keys(made[0] as object).join(', ');
    const text = `insert into ${table} (${columns}) select ${columns} from json_populate_recordset(null::${table}, $1)`;
    await owner.run({ text, values: [JSON.stringify(made)] });
  };
  await insert('request_log', (n) => ({
    ...{ id: newId('rql', 'live', at(n)), method: 'POST', path: '/payments', status: n % 50 === 0 ? 422 : 201 },
    ...{ duration_ms: 5, caller: 'key_1', error_code: null, created_at: new Date(at(n)) },
  }));
  const subjects = await owner.all<{ id: string }>({
    text: `(select id from transfers where team_id = $1 order by id limit ${SUBJECTS}) union all
      (select id from refunds where team_id = $1 and payment_id = (select id from payments where team_id = $1 order by id offset 1 limit 1)
       order by id desc limit ${SUBJECTS})`,
    values: [team],
  });
  await insert('provider_exchanges', (n) => ({
    ...{
      id: newId('pex', 'live', at(n)),
      subject_id: subjects[n % subjects.length]?.id,
      provider: 'pawapay',
      account_id: 'pa_1',
    },
    ...{ method: 'GET', path: '/v2/payouts', status: 200, duration_ms: 5, request: null, response: '{"status":"FOUND"}' },
    ...{ response_bytes: 20, created_at: new Date(at(n)), callback: n % 10 === 0 ? 'signed' : null },
  }));
  const { id: endpoint } = (await owner.maybe<{ id: string }>({
    text: `update webhook_endpoints set resend_started_at = $2, resend_events = 10000
      where id = (select id from webhook_endpoints where team_id = $1 order by id offset 1 limit 1) returning id`,
    values: [team, new Date(now)],
  })) as { id: string };
  await insert('deliveries', (n) => ({
    ...{ endpoint_id: endpoint, event_id: `evt_waits_${n}`, tries: n < rows / 20 ? 1 : 0, due_at: new Date(now + n / 2) },
  }));
}
