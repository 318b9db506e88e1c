import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '../../src/kit/ids.ts';
import type {
  Capabilities,
  Collection,
  Offer,
  Payout,
  PayoutOutcome,
  Preparation,
  Provider,
  Reading,
  Refund,
  RefundOutcome,
  Submission,
} from '../../src/providers/adapters/contract.ts';
import { channelById, limitsOf } from '../../src/providers/reference/channels.ts';
import type { EntryKind } from '../../simulators/kit/book.ts';
import { payOn } from '../../simulators/kit/pages.ts';
import { checkOutcome } from './unions.ts';
import type { End, Fixture, Line, Stage } from './fixture.ts';

/** What an adapter said about a collection, a payout or a refund: the three speak one language as far as the suite cares. */
export type Said = Submission | Reading | PayoutOutcome | RefundOutcome;

/** One collection, payout or refund of the suite. */
export interface Piece {
  key: string;
  number: string;
  amount_minor: bigint;
  currency: string;
  readable_by: Capabilities['readable_by'];
  idempotency: Capabilities['idempotency'];
  submit(provider?: Provider): Promise<Said>;
  read(provider?: Provider): Promise<Said>;
}

/** One of the three ways money moves, on one line. */
export interface Leg {
  kind: EntryKind;
  line: Line;
  ends: Record<string, End>;
  /** @param digits the last digits of the number, or the whole of it with its plus */
  make(digits?: string): Promise<Piece>;
}

/** Every way of the fixture on every line; what the provider lacks is left out. */
export function legsOf(fixture: Fixture, stage: Stage): Leg[] {
  const { provider } = stage;
  const legs: Leg[] = fixture.collect.map((line) => ({
    ...{ kind: 'collect' as const, line, ends: fixture.ends.collect },
    make: (digits) => collecting(stage, collectionOn(provider, line, digits)),
  }));
  if (provider.payouts) {
    for (const line of fixture.payout) {
      const make = async (digits?: string) => payingOut(stage, line, digits);
      legs.push({ kind: 'payout', line, ends: fixture.ends.payout, make });
    }
  }
  if (provider.refunds) {
    for (const line of fixture.collect) {
      legs.push({
        kind: 'refund',
        line,
        ends: fixture.ends.refund,
        make: (digits) => givingBack(stage, line, digits, fixture.lost_refunds),
      });
    }
  }
  return legs;
}

let serial = 100_000;

/** A number nobody else of this run has, and that simply works; or one that ends as asked. */
export function numberOn(line: Line, digits?: string): string {
  if (digits?.startsWith('+')) return digits;
  // 5xxxx5: no suffix to which any provider gives a meaning.
  return line.stem + (digits ?? `5${String(serial++ % 10_000).padStart(4, '0')}5`);
}

/** The smallest or the largest amount on a line: of its channel, or of the provider's offer where that is narrower. */
export function boundOf(
  provider: Provider,
  operation: Offer['operations'][number],
  { channel, currency, amount_minor }: Line,
  edge: 'min_minor' | 'max_minor',
): bigint {
  const known = channelById(channel.id);
  const own = (known && limitsOf(known, currency))?.[edge] ?? amount_minor;
  const offer = provider
    .offers()
    ?.find((one) => one.channel === channel.id && one.currency === currency && one.operations.includes(operation));
  const offered = offer?.[edge] ?? own;
  const isNarrower = edge === 'min_minor' ? offered > own : offered < own;
  return isNarrower ? offered : own;
}

export function collectionOn(provider: Provider, line: Line, digits?: string): Collection {
  const attempt_id = newId('att', 'live', Date.now());
  return {
    attempt_id,
    provider_key: provider.keyOf(attempt_id),
    provider_ref: null,
    handle: null,
    amount_minor: line.amount_minor,
    currency: line.currency,
    channel: line.channel,
    payer: numberOn(line, digits),
    description: "Facture n° 42 — l'été (à payer)",
    return_url: 'http://127.0.0.1:9/pay/token',
    callback_url: `${callbacks.url}/${attempt_id}`,
    submitted_at: null,
    expires_at: Date.now() + 3_600_000,
  };
}

/** Where callbacks go; the suite sets it before anything is sent. */
export const callbacks = { url: 'http://127.0.0.1:9' };

async function collecting(stage: Stage, collection: Collection): Promise<Piece> {
  const learn = refOf(collection);
  const prepare = preparing(stage, collection);
  return {
    key: collection.provider_key,
    number: String(collection.payer),
    amount_minor: collection.amount_minor,
    currency: collection.currency,
    ...stage.provider.capabilities,
    submit: async (provider = stage.provider) => {
      const said = (await prepare(provider)) ?? (await provider.submit({ ...collection }));
      collection.submitted_at = Date.now();
      if (stage.world) await payOnPage(said, collection);
      return learn(checkOutcome('submit', said, stage.secrets));
    },
    read: async (provider = stage.provider) => learn(checkOutcome('read', await provider.read({ ...collection }), stage.secrets)),
  };
}

/**
 * The step before submitting, as the core takes it: asked for until a handle is given, which is kept.
 * @returns why there is none
 */
function preparing({ secrets }: Stage, collection: Collection): (provider: Provider) => Promise<Submission | null> {
  let step: Promise<Preparation> | null = null;
  return async (provider) => {
    if (!provider.prepare || collection.handle !== null) return null;
    step ??= provider.prepare({ ...collection });
    const prepared = checkOutcome('prepare', await step, secrets);
    step = null;
    if (prepared.kind !== 'ready') return prepared;
    collection.handle = prepared.handle;
    return null;
  };
}

/** As the payer: where there is a page to pay on, pays. */
export async function payOnPage(said: Submission, { payer }: Collection): Promise<void> {
  if (said.kind === 'accepted' && said.next.kind === 'redirect') await payOn(said.next.url, String(payer));
}

function payingOut(stage: Stage, line: Line, digits?: string): Piece {
  const transfer_id = newId('po', 'live', Date.now());
  const payout: Payout = {
    transfer_id,
    provider_key: stage.provider.keyOf(transfer_id),
    provider_ref: null,
    amount_minor: line.amount_minor,
    currency: line.currency,
    channel: line.channel,
    recipient: { name: 'Awa N.', phone: numberOn(line, digits), account_number: null, bank_code: null },
    description: 'Salaire',
    callback_url: `${callbacks.url}/${transfer_id}`,
    submitted_at: null,
  };
  const learn = refOf(payout);
  const payoutsOf = (provider: Provider) => provider.payouts ?? assert.fail('the provider has no payouts');
  const { idempotency } = payoutsOf(stage.provider);
  return {
    key: payout.provider_key,
    number: String(payout.recipient.phone),
    amount_minor: payout.amount_minor,
    currency: payout.currency,
    ...stage.provider.capabilities,
    ...(idempotency ? { idempotency } : {}),
    submit: async (provider = stage.provider) => {
      const said = await payoutsOf(provider).submit({ ...payout });
      payout.submitted_at = Date.now();
      return learn(checkOutcome('payouts.submit', said, stage.secrets));
    },
    read: async (provider = stage.provider) =>
      learn(checkOutcome('payouts.read', await payoutsOf(provider).read({ ...payout }), stage.secrets)),
  };
}

/** Gives back a collection that has succeeded: the whole, or (where the provider can) all but one unit. */
async function givingBack(stage: Stage, line: Line, digits?: string, isLost = false): Promise<Piece> {
  const collection = collectionOn(stage.provider, line, digits);
  const piece = await collecting(stage, collection);
  await piece.submit();
  assert.equal((await endOf(piece)).kind, 'succeeded', 'the collection to be given back has to succeed first');
  const refundsOf = (provider: Provider) => provider.refunds ?? assert.fail('the provider has no refunds');
  const refund_id = newId('rfd', 'live', Date.now());
  const refund: Refund = {
    refund_id,
    provider_key: stage.provider.keyOf(refund_id),
    provider_ref: null,
    amount_minor: line.amount_minor - (refundsOf(stage.provider).extent === 'partial' ? 100n : 0n),
    currency: line.currency,
    collection,
    callback_url: `${callbacks.url}/${refund_id}`,
    submitted_at: null,
  };
  const learn = refOf(refund);
  return {
    key: refund.provider_key,
    number: piece.number,
    amount_minor: refund.amount_minor,
    currency: refund.currency,
    ...stage.provider.capabilities,
    ...(isLost ? { readable_by: 'theirs' } : {}),
    submit: async (provider = stage.provider) => {
      const said = await refundsOf(provider).submit({ ...refund });
      refund.submitted_at = Date.now();
      return learn(checkOutcome('refunds.submit', said, stage.secrets));
    },
    read: async (provider = stage.provider) =>
      learn(checkOutcome('refunds.read', await refundsOf(provider).read({ ...refund }), stage.secrets)),
  };
}

/** As the core does: what the provider calls it is kept as soon as it says so. */
function refOf(kept: { provider_ref: string | null }): <T extends Said>(said: T) => T {
  return (said) => {
    if ('provider_ref' in said && said.provider_ref !== null) kept.provider_ref = said.provider_ref;
    return said;
  };
}

const FINAL = ['succeeded', 'failed', 'cancelled', 'expired', 'refused', 'unfunded'];
/** Far above what anything here takes. */
export const MAX_MS = 30_000;

/** Whether this is the last word. */
export function isFinal(said: Said): boolean {
  return FINAL.includes(said.kind);
}

/** Reads until it is final. A refusal in the answer to the submission itself is given in. */
export async function endOf(piece: Piece, submitted?: Said): Promise<End> {
  const until = Date.now() + MAX_MS;
  let said = submitted && isFinal(submitted) ? submitted : await piece.read();
  while (!isFinal(said)) {
    assert.ok(Date.now() < until, `still ${JSON.stringify(said.kind)} after ${MAX_MS} ms`);
    await sleep(20);
    said = await piece.read();
  }
  const kind = said.kind === 'refused' ? 'failed' : said.kind;
  return { kind: kind as End['kind'], reason: 'reason' in said ? said.reason : null };
}
