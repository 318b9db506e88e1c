import type { AttemptRow } from '../../src/core/attempts/schema.ts';
import { apply } from '../../src/core/payments/apply.ts';
import type { Change, Report } from '../../src/core/payments/change.ts';
import type { PaymentListener } from '../../src/core/payments/listeners.ts';
import type { PaymentRow } from '../../src/core/payments/schema.ts';
import type { StatedAmount } from '../../src/core/payments/statement-amounts-store.ts';
import type { Sql, Tx } from '../../src/kit/sql.ts';
import { bodyOf, type EventInput } from '../../src/money/events/record.ts';

/* Tells what `apply` writes about rows that no database holds: its statements are taken instead of sent. */

export const AT = Date.parse('2030-01-01T00:00:00Z');
export const at = (ms: number) => new Date(AT + ms);

/** A payment of 1000.00 of which 400.00 is captured and 0.02 refunded. */
export function paymentOf(changes: Partial<PaymentRow>): PaymentRow {
  return {
    ...{ team_id: 1n, id: 'trx_1', amount_minor: 100_000n, fee_minor: 2_000n, captured_minor: 40_000n, refunded_minor: 2n },
    ...{
      currency: 'XAF',
      status: 'processing',
      bearer: 'merchant',
      channel: 'cm.mtn',
      settled: false,
      reason: null,
      message: null,
    },
    ...{ customer_id: null, account_id: null, payment_method: 'pm_0', details: null, split: null, key_id: 'key_1', claim: null },
    ...{ continue_at: at(-1), event_count: 3, created_at: at(-9), updated_at: at(-2), expires_at: at(-3), completed_at: at(-4) },
    ...changes,
  } as PaymentRow;
}

export function attemptOf(id: string, changes: Partial<AttemptRow>): AttemptRow {
  return {
    ...{ team_id: 1n, id, payment_id: 'trx_1', provider: 'p', provider_account: 'acc', channel: 'cm.mtn', status: 'open' },
    ...{ amount_minor: 60_000n, currency: 'XAF', method_id: `pm_${id}`, mismatch: null, mismatches: 1, must_return: false },
    ...{ counted_day: '2030-01-01', next_poll_at: null, decision: null, created_at: at(-8), reason: null, message: null },
    ...changes,
  } as AttemptRow;
}

/** The first has paid, the second is open. */
export const ATTEMPTS = [attemptOf('att_1', { status: 'succeeded', amount_minor: 40_000n }), attemptOf('att_2', {})];

const statusOf = ({ status }: { status: string }) => status;

/** What the statements that write are called in the lines. */
const WRITES: [part: string, name: string][] = [
  ['update attempts', 'attempts'],
  ['insert into returns', 'returns'],
  ['update payments', 'payments'],
  ['insert into settlement_items', 'items'],
  ['event_input', 'events'],
  ['update ceiling_uses', 'limits'],
  ['insert into journals', 'journals'],
  ['from balances', 'credit'],
];

/** Returns what the changes write and return, in order. */
export async function applied(
  payments: PaymentRow[],
  attempts: AttemptRow[],
  changes: (Change | Report)[],
  stated: readonly StatedAmount[] = [],
): Promise<string> {
  const told: string[] = [];
  const rows = async ({ text, values }: Sql): Promise<unknown[]> => {
    if (/from payments[\s\S]*for update/.test(text)) return payments;
    if (/from attempts[\s\S]*for update/.test(text)) return attempts;
    if (text.includes('reconciliation.late')) {
      told.push(`asks for statements of ${JSON.stringify(values)}`);
      return [...stated];
    }
    const name = WRITES.find(([part]) => text.includes(part))?.[1] ?? text;
    told.push(`${name} ${written(name, values, { payments, attempts })}`);
    return [];
  };
  const tx = { inTransaction: true, all: rows, run: async (sql: Sql) => (await rows(sql)).length } as unknown as Tx;
  const listener: PaymentListener = async (_, { environment, at }, moves) => {
    const shown = moves.map((move) =>
      [move.before.id, move.before.status, move.after.status, ...move.attempts.map(statusOf)].join(' '),
    );
    told.push(`moves ${environment} +${at - AT} ${shown.join(', ')}`);
  };
  const context = { environment: 'live', at: AT, listeners: [listener] } as const;
  const result = await apply(tx, context, changes);
  for (const [id, { payment, attempts, changed }] of result) {
    told.push(`${id} ${payment.status} ${changed ? 'changed' : 'same'} ${attempts.map(statusOf).join(' ')}`);
  }
  return told.join('; ');
}

function written(name: string, values: readonly unknown[], before: { payments: PaymentRow[]; attempts: AttemptRow[] }): string {
  const json = values.find((value) => typeof value === 'string' && value.startsWith('['));
  if (typeof json !== 'string') return line(values);
  const rows = JSON.parse(json) as Record<string, unknown>[];
  if (name === 'events') return line(rows.map((row) => eventIn(row as unknown as EventInput)));
  const known = name === 'payments' ? before.payments : name === 'attempts' ? before.attempts : [];
  return line(rows.map((row) => differing(row, known.find(({ id }) => id === row.id) ?? {})));
}

/** The columns that are not as before. */
function differing(row: Record<string, unknown>, before: object): object {
  const old = JSON.parse(line(before)) as Record<string, unknown>;
  const now = JSON.parse(line(row)) as Record<string, unknown>;
  const isRandom = (name: string, value: unknown) => name === 'id' && /^rtn_/.test(String(value));
  return Object.fromEntries(
    Object.entries(now).filter(
      ([name, value]) => !isRandom(name, value) && (name === 'id' || JSON.stringify(old[name]) !== JSON.stringify(value)),
    ),
  );
}

function eventIn(input: EventInput): unknown[] {
  const { data } = JSON.parse(bodyOf(input, 1)) as {
    data: { status: string; updated_at: string; attempts: { status: string }[] };
  };
  const { team_id, type, resource_id, sequence } = input;
  return [
    team_id,
    type,
    resource_id,
    sequence,
    data.status,
    data.updated_at,
    data.attempts.map(({ status }) => status).join(' '),
  ];
}

/** JSON with amounts as text, and times as milliseconds from {@link AT}. */
export function line(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) => {
    if (typeof one === 'bigint') return String(one);
    if (typeof one !== 'string' || !/^\d{4}-\d\d-\d\dT.*Z$/.test(one)) return one;
    const ms = Date.parse(one) - AT;
    return ms < 0 ? String(ms) : `+${ms}`;
  });
}
