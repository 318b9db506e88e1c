import { applyTransfers } from '../../../src/core/transfers/apply.ts';
import { occurrenceOf } from '../../../src/core/transfers/outcomes.ts';
import type { TransferRow } from '../../../src/core/transfers/schema.ts';
import { advance, type Sender } from '../../../src/core/transfers/send.ts';
import { must } from '../../../src/kit/errors.ts';
import type { PayoutOutcome, Provider } from '../../../src/providers/adapters/contract.ts';
import { stubbed, type Written } from '../stub.ts';
import { AMOUNT, type Call, FEE, type Known, type Outcome, type Rules, type Transfer } from './world.ts';

/*
 * Runs the program's own functions for a transfer of the model, with a transaction that returns its row and stores nothing, and
 * translates the result back.
 */

const UNIT = 10_000n;
const NOW = Date.UTC(2026, 10, 22);
const GRACE_MS = 600_000;
const POLLS = { first_ms: 1_000, factor: 2, max_ms: 60_000 };
const PAID = { kind: 'succeeded', provider_ref: 'ref', amount_minor: BigInt(AMOUNT) * UNIT, currency: 'XAF' } as const;

const OUTCOMES: Record<Outcome, PayoutOutcome> = {
  pending: { kind: 'pending', provider_ref: 'ref', poll_after_ms: 1_000 },
  paid: PAID,
  other_amount: { ...PAID, amount_minor: 1n },
  refused: { kind: 'failed', reason: 'invalid_recipient', message: 'refused' },
  cancelled: { kind: 'cancelled', message: 'cancelled' },
  unavailable: { kind: 'unavailable', message: 'not sent' },
  unfunded: { kind: 'unfunded', message: 'no float' },
  absent: { kind: 'not_found' },
  absent_long: { kind: 'not_found' },
  unknown: { kind: 'unknown', message: 'no response' },
};

/** Returns what the program makes of the outcome of a call. */
export async function codeAfterOutcome(
  row: Transfer,
  known: Known,
  call: Call,
  outcome: Outcome,
  { idempotent, replays }: Pick<Rules, 'idempotent' | 'replays'>,
): Promise<Transfer> {
  const repeats = replays ? 'replays' : idempotent ? 'conflicts' : 'none';
  const then = rowOf({ ...row, ...known });
  const accounts = then.decision?.candidates ?? [];
  const occurrence = occurrenceOf(then, OUTCOMES[outcome], call, accounts, POLLS, repeats);
  const { tx, written } = stubbed({ transfers: [{ ...rowOf(row), polls: known.overtaken ? 1 : 0 }] });
  const applied = await applyTransfers(tx, { environment: 'live', at: NOW }, [{ known: then, occurrence }]);
  return transferOf(row, applied.get(then.id)?.transfer as TransferRow, written);
}

/** Returns what the program makes of a submission that is about to be sent, or null when it may not be sent. */
export async function codeMarked(row: Transfer, known: Known, intent: Partial<Transfer>): Promise<Transfer | null> {
  const then = rowOf({ ...row, ...known });
  const wanted = { ...row, ...known, ...intent };
  const { decision, provider_account } = rowOf(wanted);
  const { tx, written } = stubbed({ transfers: [{ ...rowOf(row), polls: known.overtaken ? 1 : 0 }] });
  const occurrence = {
    kind: 'sending' as const,
    provider_account: provider_account as string,
    provider_key: keyOf(wanted.spent),
    decision: decision as NonNullable<TransferRow['decision']>,
    lease_ms: 1_000,
  };
  const applied = await applyTransfers(tx, { environment: 'live', at: NOW }, [{ known: then, occurrence }]);
  const { transfer, changed } = applied.get(then.id) as { transfer: TransferRow; changed: boolean };
  return changed ? transferOf({ ...row, sending: row.sending + 1 }, transfer, written) : null;
}

/** What the program does with a claimed transfer: the calls it makes, and the transfer afterwards. */
export interface Advanced {
  calls: string[];
  transfer: Transfer;
}

/** A provider that answers every poll and every submission alike, and the time since the last submission. */
export interface Surroundings {
  candidates: readonly number[];
  read: Outcome;
  submit: Outcome;
  idempotent: boolean;
}

/** Returns what the program does with a transfer that it has claimed, when nothing else happens meanwhile. */
export async function codeAdvance(row: Transfer, { candidates, read, submit, idempotent }: Surroundings): Promise<Advanced> {
  const calls: string[] = [];
  let transfer = row;
  const providerOf = (account_id: string) =>
    ({
      name: 'model',
      account_id,
      capabilities: { idempotency: idempotent ? 'replays' : 'none', polls: POLLS, not_found_grace_ms: GRACE_MS },
      keyOf: (id: string) => id,
      payouts: {
        submit: async ({ provider_key }: { provider_key: string }) => {
          calls.push(`submit ${account_id} ${provider_key}`);
          return OUTCOMES[submit];
        },
        read: async ({ provider_key }: { provider_key: string }) => {
          calls.push(`read ${account_id} ${provider_key}`);
          return OUTCOMES[read];
        },
      },
    }) as unknown as Provider;
  let now = read === 'absent_long' ? NOW + GRACE_MS : NOW;
  const deps = {
    clock: { now: () => now },
    config: { public_url: 'https://pirogue.example' },
    secrets: { mac: () => 'mac' },
    providers: { byAccount: async (_: string, __: bigint, account_id: string) => providerOf(account_id) },
    router: {
      choose: async () => ({ candidates: candidates.map((one) => providerOf(accountOf(one))), explanation: {}, limits: [] }),
    },
  };
  const sender = {
    deps,
    store: { environment: 'live' },
    apply: async (change: Parameters<Sender['apply']>[0]) => {
      const { tx, written } = stubbed({ transfers: [rowOf(transfer)] });
      const applied = await applyTransfers(tx, { environment: 'live', at: now }, [change]);
      const result = applied.get(change.known.id) as { transfer: TransferRow; changed: boolean };
      const sent = change.occurrence.kind === 'sending' && result.changed;
      transfer = transferOf(sent ? { ...transfer, sending: transfer.sending + 1 } : transfer, result.transfer, written);
      // Sent at once. The rows of the model tell by `sending` when that was.
      if (sent) now = must(rowOf(transfer).dispatched_at, 'it was sent').getTime();
      return { ...result, transfer: rowOf(transfer) };
    },
  } as unknown as Sender;
  await advance(sender, rowOf(row));
  return { calls, transfer };
}

export function accountOf(provider: number): string {
  return `pa_${provider}`;
}

export function keyOf(key: number): string {
  return key === 0 ? 'po_model' : `po_model-${key}`;
}

function rowOf(transfer: Transfer): TransferRow {
  const { status, stage, provider, candidates, tried, spent, key, resent, sending, sent, due } = transfer;
  const row = {
    ...{ team_id: 1n, id: 'po_model', reference: null, currency: 'XAF', status, stage, reason: null, message: null },
    ...{ amount_minor: BigInt(AMOUNT) * UNIT, fee_minor: BigInt(FEE) * UNIT, description: null, beneficiary_id: null },
    recipient: { name: 'A', phone: '+237650000000', account_number: null, bank_code: null, country: 'CM', email: null },
    ...{ channel: 'cm.mtn', metadata: null, provider_account: provider === null ? null : accountOf(provider) },
    ...{ provider_key: keyOf(key), provider_ref: null, resolution: null, counted_day: null, event_count: 1, polls: 0 },
    decision: {
      ...{ explanation: {}, candidates: candidates.map(accountOf), tried: tried.map(accountOf), resent, note: null },
      ...(spent > 0 ? { spent } : {}),
    },
    ...{ next_poll_at: due ? new Date(NOW) : null, created_at: new Date(NOW), updated_at: new Date(NOW), completed_at: null },
    dispatched_at: sent ? new Date(NOW - GRACE_MS / 2 + sending) : null,
  };
  return row as TransferRow;
}

function transferOf(before: Transfer, row: TransferRow, { journals }: Written): Transfer {
  const units = (kind: string) =>
    Number(journals.filter((journal) => journal.kind === kind).reduce((sum, { amount_minor }) => sum + amount_minor, 0n) / UNIT);
  const [dispatched, succeeded, returned] = [
    units('transfer.dispatched'),
    units('transfer.succeeded'),
    units('transfer.returned'),
  ];
  const held = before.reserved + before.transit;
  if (returned > 0 && returned !== held) throw new Error(`${returned} of ${held} units were given back`);
  const ended = succeeded > 0 || returned > 0;
  const { candidates = [], tried = [], spent = 0, resent = false } = row.decision ?? {};
  return {
    ...before,
    status: row.status,
    stage: row.stage,
    provider: row.provider_account === null ? null : numberOf(row.provider_account),
    candidates: candidates.map(numberOf),
    tried: tried.map(numberOf),
    ...{ spent, resent, key: Number(row.provider_key.split('-')[1] ?? 0) },
    sent: row.dispatched_at !== null,
    due: row.next_poll_at !== null,
    reserved: ended ? 0 : before.reserved - dispatched,
    transit: ended ? 0 : before.transit + dispatched,
    gone: before.gone + succeeded,
    returns: before.returns + (returned > 0 ? 1 : 0),
  };
}

function numberOf(account: string): number {
  return Number(account.split('_')[1]);
}
