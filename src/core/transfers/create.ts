import { recorded } from '../../tenants/audit/record.ts';
import { levelOf, reserve } from '../../money/transaction-limits/service.ts';
import { recordEvents } from '../../money/webhooks/record-store.ts';
import { once } from '../../tenants/api/idempotency.ts';
import type { Call, Reply } from '../../tenants/api/route.ts';
import { invalid, must, Problem } from '../../kit/errors.ts';
import { newId } from '../../kit/ids.ts';
import { type Minor, minorFromWire } from '../../kit/money.ts';
import type { Tx } from '../../kit/sql.ts';
import { lockBalances, post } from '../../money/ledger/post.ts';
import { feeOf } from '../../money/fees/fees.ts';
import { limitsFault } from '../../providers/routing/limits.ts';
import { keepActive } from '../accounts/service.ts';
import { keepBeneficiary } from '../beneficiaries/service.ts';
import { applyTransfers, transferEvent } from './apply.ts';
import { payerAccount, reservedJournal } from './bookings.ts';
import type { TransferDeps } from './deps.ts';
import type { Payee } from './payee.ts';
import { presentTransfer } from './present.ts';
import { readPayee } from './quote.ts';
import type { CreateTransferBody, Decision, TransferRow } from './schema.ts';
import { insertTransfer } from './store.ts';

type CreateDeps = Pick<TransferDeps, 'config' | 'router'>;

/**
 * Creates a transfer and reserves its money, of the team or of the subaccount that `X-Sync` names, in one transaction. When the available
 * balance does not cover it, creates it as failed. The worker submits it to a provider.
 * @throws Problem 404 unknown beneficiary or subaccount, 422, also for an amount that no account pays out, 502 no provider can pay out on
 * the channel
 */
export function createTransfer(deps: CreateDeps, call: Call<CreateTransferBody>): Promise<Reply> {
  const { store } = call.caller;
  const amount_minor = must(minorFromWire(call.body.amount), 'checkTransfer let it pass');
  return store.db.transaction((tx) =>
    once(tx, call as Call, 'POST /transfers', async () => {
      const made = await recorded(tx, call, 'transfer.create', make(tx, deps, call, amount_minor));
      const transfer = presentTransfer(store.environment, made);
      return { code: 201, message: transfer.status === 'failed' ? 'Transfer failed' : 'Transfer created', body: { transfer } };
    }),
  );
}

async function make(tx: Tx, deps: CreateDeps, call: Call<CreateTransferBody>, amount_minor: Minor): Promise<TransferRow> {
  const { team, store } = call.caller;
  const { environment } = store;
  const { currency } = call.body;
  const level = levelOf(environment, team);
  // Read under a lock: this transaction may wait for others before it reserves the money, and what was read would be old by then.
  const account_id = call.sync === null ? null : (await keepActive(tx, environment, { team_id: team.id, id: call.sync })).id;
  const payee = await readPayee(
    { level, find: (id) => keepBeneficiary(tx, environment, { team_id: team.id, id }) },
    call.body,
    amount_minor,
  );
  call.verifyPayee?.({ ...payee.recipient, channel: payee.channel.id });
  const wanted = { channel: payee.channel, currency, amount_minor };
  const { candidates, explanation, limits, is_final } = await deps.router.choose({
    ...{ environment, team_id: team.id, operation: 'payout', ...wanted, sends: false },
  });
  if (is_final) throw invalid({ amount: [limitsFault(limits, wanted)] });
  if (candidates.length === 0) throw new Problem(502, 'No payment provider can pay out on this channel at the moment.');
  const accounts = candidates.map((provider) => provider.account_id);
  const decision: Decision = { explanation, candidates: accounts, tried: [], resent: false, note: null };
  const row = { ...rowOf(deps, call, payee, amount_minor, decision), account_id };
  const use = { team_id: team.id, direction: 'transfer', currency, amount_minor } as const;
  // Transaction limits are locked before balances, as everywhere in the code: another order could deadlock.
  const counted_day = await reserve(tx, { ...use, level, at: call.at });
  return reserveFunds(tx, call, { ...row, counted_day });
}

/** Reserves the money under the lock of the balance, so that concurrent transfers never take more than is available. */
async function reserveFunds(tx: Tx, call: Call<CreateTransferBody>, wanted: TransferRow): Promise<TransferRow> {
  const { team_id, currency, amount_minor, fee_minor } = wanted;
  const context = { environment: call.caller.store.environment, at: call.at };
  const name = payerAccount(wanted, 'available');
  const { [name]: available = 0n } = await lockBalances(tx, team_id, currency, [name]);
  const covered = available >= amount_minor + fee_minor;
  const row: TransferRow = covered ? wanted : { ...wanted, stage: 'closed', next_poll_at: null };
  await insertTransfer(tx, row, { key_id: call.caller.key_id, request_id: call.request_id });
  await recordEvents(tx, context.environment, context.at, [transferEvent(context.environment, row)]);
  if (covered) {
    await post(tx, [reservedJournal(row)]);
    return row;
  }
  const applied = await applyTransfers(tx, context, [{ known: row, occurrence: { kind: 'uncovered' } }]);
  return must(applied.get(row.id), 'it was just made').transfer;
}

function rowOf(
  deps: CreateDeps,
  call: Call<CreateTransferBody>,
  payee: Payee,
  amount_minor: Minor,
  decision: Decision,
): Omit<TransferRow, 'account_id'> {
  const { body, caller, at } = call;
  const now = new Date(at);
  const id = newId('po', caller.store.environment, at);
  return {
    team_id: caller.team.id,
    id,
    reference: body.reference ?? null,
    amount_minor,
    fee_minor: feeOf(deps.config.fees, 'transfer', amount_minor, body.currency),
    currency: body.currency,
    status: 'processing',
    reason: null,
    message: null,
    description: body.description ?? null,
    beneficiary_id: payee.beneficiary_id,
    recipient: payee.recipient,
    channel: payee.channel.id,
    metadata: (body.metadata ?? null) as TransferRow['metadata'],
    provider_account: null,
    provider_key: id,
    provider_ref: null,
    decision,
    resolution: null,
    stage: 'reserved',
    counted_day: null,
    event_count: 1,
    polls: 0,
    next_poll_at: now,
    created_at: now,
    updated_at: now,
    dispatched_at: null,
    completed_at: null,
    paid_late_at: null,
  };
}
