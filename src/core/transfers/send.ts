import type { Store } from '../../platform/db/stores.ts';
import { must } from '../../kit/errors.ts';
import { callbackUrl } from '../../providers/provider-accounts/callback-address.ts';
import type { Payout, PayoutOutcome, Payouts, Provider } from '../../providers/adapters/contract.ts';
import { mayBeSentAgain, mayNotBeShownYet, SUBMIT_LEASE_MS, submitInTime } from '../../providers/adapters/polling.ts';
import { type Channel, channelById } from '../../providers/reference/channels.ts';
import { limitsFault } from '../../providers/routing/limits.ts';
import type { AppliedTransfer, TransferChange } from './apply.ts';
import type { TransferDeps } from './deps.ts';
import { type ProviderCall, occurrenceOf, unsent } from './outcomes.ts';
import { applyRecheck } from './late.ts';
import type { Decision, TransferRow } from './schema.ts';
import { isFinal } from './states.ts';

/** The dependencies of a step, and the function that applies and commits a change. */
export interface Sender {
  deps: Pick<TransferDeps, 'clock' | 'config' | 'log' | 'providers' | 'router' | 'secrets'>;
  store: Store;
  apply(change: TransferChange): Promise<AppliedTransfer>;
}

/**
 * Advances a transfer by one step: the intent is committed, the provider is called outside any transaction, and its response is
 * applied. If the process dies in between, the next step starts by polling the provider. A transfer that has ended is only read.
 */
export async function advance(sender: Sender, row: TransferRow): Promise<void> {
  if (isFinal(row.status)) return recheck(sender, row);
  if (isUnsent(row)) return sendFirst(sender, row);
  const provider = await providerOf(sender, row);
  // The age of a response is measured from its request, because the response may be applied much later.
  const polled_at = sender.deps.clock.now();
  const outcome = await payoutsOf(provider).read(payoutOf(sender, row));
  const sent_at = row.dispatched_at?.getTime() ?? null;
  if (outcome.kind !== 'not_found' || !mayBeSentAgain(provider.capabilities, provider.payouts, sent_at, polled_at)) {
    return applyOutcome(sender, row, provider, outcome, 'read');
  }
  const decision = row.decision as Decision;
  // It was turned away, and its account does not have it after all: any account may get it. Not once it was sent there again, as a process
  // of the version before does.
  if (decision.recalled && !decision.resent) {
    const again = { ...row, decision: { ...decision, recalled: undefined, resent: false } };
    const note = 'the provider called back about it, and does not have it';
    await sender.apply({ known: row, occurrence: unsent(again, decision.candidates, note) });
    return;
  }
  // Same provider, same key: if the provider has the first submission after all, it recognises the second as a duplicate.
  await submit(sender, row, { provider, provider_key: row.provider_key, decision: { ...decision, resent: true } });
}

/** Polls a transfer that has ended without money, after a callback or another report. An account that is unusable now is polled later. */
async function recheck(sender: Sender, row: TransferRow): Promise<void> {
  const { deps, store } = sender;
  const provider = await deps.providers.byAccount(store.environment, row.team_id, row.provider_account ?? '');
  const unusable = { kind: 'unknown' as const, message: 'the provider account cannot be used' };
  const asked_at = deps.clock.now();
  const outcome = provider?.payouts ? await provider.payouts.read(payoutOf(sender, row)) : unusable;
  // A payout that its account turned away has no time of submission. It was sent before it ended.
  const sent_at = (row.dispatched_at ?? row.completed_at)?.getTime() ?? null;
  const early = provider && outcome.kind === 'not_found' && mayNotBeShownYet(provider.capabilities, sent_at, asked_at);
  await applyRecheck(deps, store, row, early ? { kind: 'unknown', message: 'the provider does not know it' } : outcome);
}

/** Whether provably no provider has the transfer, so that it may be sent to any of them. */
function isUnsent(row: TransferRow): boolean {
  return row.stage === 'reserved' || row.dispatched_at === null;
}

interface Choice {
  provider: Provider;
  provider_key: string;
  decision: Decision;
}

/**
 * Sends a transfer that is provably with no provider to the first account that has not rejected it. Without an account that can take it
 * now, it waits; one that no account can ever take fails, because nothing else would end it.
 */
async function sendFirst(sender: Sender, row: TransferRow): Promise<void> {
  const { candidates, explanation, limits, is_final } = await choose(sender, row);
  if (is_final) {
    const message = `The amount ${limitsFault(limits, { ...row, channel: channelOf(row) })}.`;
    await sender.apply({ known: row, occurrence: { kind: 'failed', reason: null, message } });
    return;
  }
  const { tried, resent, spent, note } = row.decision as Decision;
  const provider = candidates.find(({ account_id }) => !tried.includes(account_id)) ?? candidates[0];
  const accounts = candidates.map(({ account_id }) => account_id);
  if (!provider) return;
  const provider_key = provider.keyOf(spent ? `${row.id}-${spent}` : row.id);
  await submit(sender, row, {
    provider,
    provider_key,
    decision: { explanation, candidates: accounts, tried, resent, spent, note },
  });
}

function channelOf({ channel }: TransferRow): Channel {
  return must(channelById(channel), 'the channel was checked when the transfer was made');
}

function choose({ deps, store }: Sender, row: TransferRow) {
  const { team_id, currency, amount_minor } = row;
  return deps.router.choose({
    environment: store.environment,
    team_id,
    operation: 'payout',
    channel: channelOf(row),
    currency,
    amount_minor,
  });
}

/**
 * Commits the intent, then sends the transfer. As soon as the intent is committed, the provider may have the transfer. Does
 * nothing if another worker was faster.
 */
async function submit(sender: Sender, known: TransferRow, { provider, provider_key, decision }: Choice): Promise<void> {
  const { transfer, changed } = await sender.apply({
    known,
    occurrence: {
      kind: 'sending',
      provider_account: provider.account_id,
      provider_key,
      decision: { ...decision, ...askedBefore(known, provider.account_id) },
      lease_ms: SUBMIT_LEASE_MS,
    },
  });
  if (!changed) return;
  const outcome = await submitInTime(payoutsOf(provider), payoutOf(sender, transfer), sender.deps.clock.now());
  await applyOutcome(sender, transfer, provider, outcome, 'submit');
}

/** Returns the accounts to which a transfer was submitted before this one. */
function askedBefore({ decision, provider_account }: TransferRow, account_id: string): Pick<Decision, 'asked'> {
  const asked = new Set([...(decision?.asked ?? []), ...(provider_account === null ? [] : [provider_account])]);
  asked.delete(account_id);
  return asked.size > 0 ? { asked: [...asked] } : {};
}

async function applyOutcome(
  sender: Sender,
  row: TransferRow,
  { capabilities, payouts }: Provider,
  outcome: PayoutOutcome,
  call: ProviderCall,
): Promise<void> {
  const { candidates } = row.decision as Decision;
  const idempotency = payouts?.idempotency ?? capabilities.idempotency;
  await sender.apply({ known: row, occurrence: occurrenceOf(row, outcome, call, candidates, capabilities.polls, idempotency) });
}

async function providerOf({ deps, store }: Sender, row: TransferRow): Promise<Provider> {
  const provider = await deps.providers.byAccount(store.environment, row.team_id, row.provider_account ?? '');
  return must(provider, `provider account ${row.provider_account} can be used`);
}

function payoutsOf(provider: Provider): Payouts {
  return must(provider.payouts, `${provider.name} pays out`);
}

/** Returns a transfer in the form that provider adapters receive. */
function payoutOf({ deps }: Sender, row: TransferRow): Payout {
  const { id, kind, country } = channelOf(row);
  const { name, account_number, bank_code } = row.recipient;
  // The phone number of a bank customer is a contact, not the destination of the money.
  const phone = kind === 'mobile_money' ? row.recipient.phone : null;
  return {
    transfer_id: row.id,
    provider_key: row.provider_key,
    provider_ref: row.provider_ref,
    amount_minor: row.amount_minor,
    currency: row.currency,
    channel: { id, kind, country },
    recipient: { name: name ?? phone ?? account_number ?? '', phone, account_number, bank_code },
    description: row.description ?? row.reference ?? row.id,
    callback_url: callbackUrl(deps, row.provider_account ?? '', row.id),
    submitted_at: row.dispatched_at?.getTime() ?? null,
  };
}
