import { lastWallet, openWallet, saveMethods, touchMethods } from '../customers/methods.ts';
import type { AttemptRow } from '../attempts/schema.ts';
import { findKeyKind } from '../../tenants/keys/store.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Secrets } from '../../kit/crypto.ts';
import { invalid } from '../../kit/errors.ts';
import { type Channel, channelById, checkAmount } from '../../providers/reference/channels.ts';
import type { PaymentDeps } from '../payments/deps.ts';
import type { Hosted } from './hosted.ts';
import type { Instrument } from './instrument.ts';
import { hasSucceeded, type PaymentListener } from '../payments/listeners.ts';
import type { PaymentRow } from '../payments/schema.ts';
import { totalOn } from './tranches.ts';

/*
 * Numbers that payers chose to save on the hosted page (docs/decisions/0033-saved-methods.md). They are saved encrypted
 * in the transaction of the success, offered masked where the merchant's server named the customer, and charged without ever
 * being sent to a browser.
 */

/** A saved number in the form that a page may show. */
interface SavedMethod {
  id: string;
  channel: Channel;
  /** `•••• 67`: enough to recognise one's own number, too little to guess another's. */
  masked: string;
}

/** Returns a number with all but its last two digits masked. */
export function masked(number: string): string {
  return `•••• ${number.slice(-2)}`;
}

/**
 * Whether a number may be saved for the customer of this payment, or a saved one offered. The payment must have been created
 * with a secret or restricted key, that is by the merchant's server. Data typed into a public page (a payment link's, or one
 * that holds a public key) does not identify the payer; offering a saved number there would disclose to unauthenticated callers
 * whose number is stored.
 */
export async function isPayerKnown(deps: Pick<PaymentDeps, 'stores'>, payment: PaymentRow): Promise<boolean> {
  return payment.customer_id !== null && (await madeByServer(deps, payment));
}

/** Whether a secret or restricted key created the payment. */
export async function madeByServer(deps: Pick<PaymentDeps, 'stores'>, { key_id }: Pick<PaymentRow, 'key_id'>): Promise<boolean> {
  const kind = await findKeyKind(deps.stores.control, key_id);
  return kind === 'secret' || kind === 'restricted';
}

/** The saved number and options that a page can offer the payer. */
export interface SavedPayer {
  /** The number with which the customer paid last, if this payment can be paid with it. */
  saved: SavedMethod | null;
  /** Whether a typed number can be saved. */
  remembers: boolean;
}

/** Returns what the hosted page can offer the payer of a payment. */
export async function savedPayerOf(
  deps: Pick<PaymentDeps, 'config' | 'stores'>,
  { store, payment }: Hosted,
): Promise<SavedPayer> {
  const { team_id, customer_id } = payment;
  if (customer_id === null || !(await isPayerKnown(deps, payment))) return { saved: null, remembers: false };
  const method = await lastWallet(store.db, { team_id, id: customer_id });
  const channel = method && channelById(method.channel);
  if (!channel || !takes(deps.config, channel, payment)) return { saved: null, remembers: true };
  return { saved: { id: method.id, channel, masked: masked(method.last4 ?? '') }, remembers: true };
}

/**
 * Returns the instrument of a saved payment method.
 * @throws Problem 422 naming `saved_method`; the same error for another customer's method, a deleted one and an invalid id
 */
export async function savedInstrument(deps: PaymentDeps, { store, payment }: Hosted, method_id: unknown): Promise<Instrument> {
  const customer = { team_id: payment.team_id, id: payment.customer_id ?? '' };
  const wallet =
    typeof method_id === 'string' && (await isPayerKnown(deps, payment))
      ? await openWallet(store.db, store.environment, deps.secrets, customer, method_id)
      : undefined;
  const channel = wallet && channelById(wallet.channel);
  if (!channel) throw invalid({ saved_method: ['is not a saved method of this customer'] });
  return { channel, payer: wallet.number, method_id: method_id as string };
}

function takes({ fees }: Pick<Config, 'fees'>, channel: Channel, payment: PaymentRow): boolean {
  const currencies: readonly string[] = channel.currencies;
  const left_minor = totalOn(fees, payment, channel.kind) - payment.captured_minor;
  return currencies.includes(payment.currency) && checkAmount(channel, payment.currency, left_minor) === null;
}

/**
 * Returns a listener that saves the numbers of succeeded payments, those of every tranche, and records the use of saved ones.
 * @param secrets encrypt the numbers
 */
export function rememberMethods(secrets: Secrets): PaymentListener {
  return async (tx, context, moves) => {
    const paid = moves.filter(hasSucceeded).flatMap(({ after: { customer_id }, attempts }) => {
      // The tranches of a payment may be days apart.
      const usedAt = ({ closed_at }: AttemptRow) => closed_at ?? new Date(context.at);
      const succeeded = attempts.filter(({ status }) => status === 'succeeded');
      return succeeded.map((attempt) => ({ ...attempt, customer_id, used_at: usedAt(attempt) }));
    });
    const used = paid.flatMap(({ team_id, method_id: id, used_at: at }) => (id === null ? [] : [{ team_id, id, at }]));
    const wanted = paid.flatMap(({ team_id, customer_id, payer, remember, method_id, used_at, ...attempt }) => {
      const channel = channelById(attempt.channel);
      if (!remember || method_id !== null || !customer_id || !payer || channel?.kind !== 'mobile_money') return [];
      const means = {
        type: channel.kind,
        channel: channel.id,
        token: payer,
        provider_account: null,
        brand: null,
        last4: payer.slice(-4),
      };
      return [{ customer: { team_id, id: customer_id }, means, used_at }];
    });
    if (wanted.length > 0) await saveMethods(tx, secrets, context, wanted);
    if (used.length > 0) await touchMethods(tx, used);
  };
}
