import type { Store } from '../db/stores.ts';
import type { Deps } from '../deps.ts';
import { must } from '../kit/errors.ts';
import type { Payout, PayoutOutcome, Payouts } from '../providers/contract.ts';
import { channelById } from '../reference/channels.ts';
import type { AppliedTransfer, TransferChange } from './apply.ts';
import { type Asked, happeningOf } from './outcomes.ts';
import type { Decision, TransferRow } from './schema.ts';

/** A provider that has not answered by then may still have acted: the answer is looked for by reading. */
export const SUBMIT_LEASE_MS = 60_000;
/** Status pages lag: only from then on does "not known" mean that it may be handed over again, with the same key. */
export const NOT_FOUND_GRACE_MS = 600_000;

/** What a step needs: where it happens, and how a change is applied and committed. */
export interface Sender {
  deps: Pick<Deps, 'clock' | 'providers'>;
  store: Store;
  settle(change: TransferChange): Promise<AppliedTransfer>;
}

/**
 * Takes a transfer one step further. Three beats: the intent is committed, the provider called outside any
 * transaction, its answer applied. Whatever dies in between, the next step begins by asking the provider.
 */
export async function advance(sender: Sender, row: TransferRow): Promise<void> {
  if (isUnsent(row)) return hand(sender, row, nextProvider(sender, row));
  const outcome = await payoutsOf(sender, row).read(payoutOf(row));
  if (outcome.kind !== 'not_found' || !isPastGrace(row, sender.deps.clock.now())) return conclude(sender, row, outcome, 'read');
  // Same provider, same key: should it have the first sending after all, it knows the second for what it is.
  await hand(sender, row, { provider: row.provider as string, decision: { ...(row.decision as Decision), resent: true } });
}

/** Provably with no provider: it may be handed to any. */
function isUnsent(row: TransferRow): boolean {
  return row.stage === 'reserved' || row.dispatched_at === null;
}

function isPastGrace(row: TransferRow, now: number): boolean {
  return row.dispatched_at !== null && now - row.dispatched_at.getTime() >= NOT_FOUND_GRACE_MS;
}

interface Choice {
  provider: string;
  decision: Decision;
}

/** The first that has not said no. @returns null when nobody can take it now: it waits */
function nextProvider(sender: Sender, row: TransferRow): Choice | null {
  const decision = row.decision as Decision;
  const candidates = candidatesOf(sender, row);
  const provider = candidates.find((name) => !decision.tried.includes(name)) ?? candidates[0];
  return provider === undefined ? null : { provider, decision: { ...decision, candidates } };
}

/** Commits the intent, from where on the provider may have it, then sends. Another worker may have been quicker. */
async function hand(sender: Sender, known: TransferRow, choice: Choice | null): Promise<void> {
  if (!choice) return;
  const { transfer, changed } = await sender.settle({
    known,
    happening: { kind: 'sending', ...choice, lease_ms: SUBMIT_LEASE_MS },
  });
  if (changed) await conclude(sender, transfer, await payoutsOf(sender, transfer).submit(payoutOf(transfer)), 'submit');
}

async function conclude(sender: Sender, row: TransferRow, outcome: PayoutOutcome, asked: Asked): Promise<void> {
  await sender.settle({ known: row, happening: happeningOf(row, outcome, asked, candidatesOf(sender, row)) });
}

function candidatesOf({ deps, store }: Sender, row: TransferRow): string[] {
  return deps.providers.payersOf(store.environment, row.channel, row.currency).map((provider) => provider.name);
}

function payoutsOf({ deps, store }: Sender, row: TransferRow): Payouts {
  const provider = deps.providers.byName(store.environment, row.provider ?? '');
  return must(provider?.payouts, `provider ${row.provider} is configured and pays out`);
}

/** A transfer as the provider sees it. */
function payoutOf(row: TransferRow): Payout {
  const { id, kind, country } = must(channelById(row.channel), 'the channel was checked when the transfer was made');
  const { name, account_number, bank_code } = row.recipient;
  // A bank customer's phone is a contact, not where the money goes.
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
    submitted_at: row.dispatched_at?.getTime() ?? null,
  };
}
