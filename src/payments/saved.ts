import { lastWallet, openWallet, saveMethods, touchMethods } from '../customers/methods.ts';
import type { Deps } from '../deps.ts';
import { findKeyKind } from '../keys/store.ts';
import type { Secrets } from '../kit/crypto.ts';
import { invalid } from '../kit/errors.ts';
import { type Channel, channelById, checkAmount } from '../reference/channels.ts';
import type { Hosted } from './hosted.ts';
import type { Instrument } from './instrument.ts';
import { hasSucceeded, type PaymentListener } from './listeners.ts';
import { totalOf } from './present.ts';
import type { PaymentRow } from './schema.ts';

/*
 * Numbers that payers asked us to remember, on the hosted page (docs/decisions/0033-saved-methods.md): saved in the
 * transaction of the success, sealed; offered masked where the merchant's own server said who pays; charged without ever
 * being sent to a browser.
 */

/** A saved number as a page may show it. */
interface SavedMethod {
  id: string;
  channel: Channel;
  /** `•••• 67`: enough to know one's own number again, nothing to guess another's by. */
  masked: string;
}

/** All but the last two digits of a number is dots. */
export function masked(number: string): string {
  return `•••• ${number.slice(-2)}`;
}

/**
 * Whether a number may be saved for the customer of this payment, or a saved one be offered. Its maker has to be a secret
 * or restricted key, so the merchant's own server: what somebody typed into a public page, a payment link's or one that
 * holds a public key, says nothing of who sits there, and would tell strangers whose number is known here.
 */
export async function knowsItsPayer(deps: Pick<Deps, 'stores'>, payment: PaymentRow): Promise<boolean> {
  return payment.customer_id !== null && (await madeByServer(deps, payment));
}

/** Whether a secret or restricted key made the payment. */
export async function madeByServer(deps: Pick<Deps, 'stores'>, { key_id }: Pick<PaymentRow, 'key_id'>): Promise<boolean> {
  const kind = await findKeyKind(deps.stores.control, key_id);
  return kind === 'secret' || kind === 'restricted';
}

/** What a page can offer the payer of a payment. */
export interface Memory {
  /** The number the customer paid with last, when this payment can be paid with it. */
  saved: SavedMethod | null;
  /** Whether a number that is typed can be saved. */
  remembers: boolean;
}

export async function memoryOf(deps: Pick<Deps, 'stores'>, { store, payment }: Hosted): Promise<Memory> {
  const { team_id, customer_id } = payment;
  if (customer_id === null || !(await knowsItsPayer(deps, payment))) return { saved: null, remembers: false };
  const method = await lastWallet(store.db, { team_id, id: customer_id });
  const channel = method && channelById(method.channel);
  if (!channel || !takes(channel, payment)) return { saved: null, remembers: true };
  return { saved: { id: method.id, channel, masked: masked(method.last4 ?? '') }, remembers: true };
}

/** @throws Problem 422 naming `saved_method`, the same for another's, one that is gone and what is no id */
export async function savedInstrument(deps: Deps, { store, payment }: Hosted, method_id: unknown): Promise<Instrument> {
  const customer = { team_id: payment.team_id, id: payment.customer_id ?? '' };
  const wallet =
    typeof method_id === 'string' && (await knowsItsPayer(deps, payment))
      ? await openWallet(store.db, store.environment, deps.secrets, customer, method_id)
      : undefined;
  const channel = wallet && channelById(wallet.channel);
  if (!channel) throw invalid({ saved_method: ['is not a saved method of this customer'] });
  return { channel, payer: wallet.number, method_id: method_id as string };
}

function takes(channel: Channel, payment: PaymentRow): boolean {
  const currencies: readonly string[] = channel.currencies;
  return currencies.includes(payment.currency) && checkAmount(channel, payment.currency, totalOf(payment)) === null;
}

/** Saves the numbers of payments that have succeeded, and that a saved one was used. @param secrets seal them */
export function rememberMethods(secrets: Secrets): PaymentListener {
  return async (tx, context, moves) => {
    const paid = moves.filter(hasSucceeded).flatMap(({ after, attempts }) => {
      const attempt = attempts.findLast(({ status }) => status === 'succeeded');
      return attempt ? [{ ...attempt, customer_id: after.customer_id }] : [];
    });
    const used = paid.flatMap(({ team_id, method_id }) => (method_id === null ? [] : [{ team_id, id: method_id }]));
    const wanted = paid.flatMap(({ team_id, customer_id, payer, remember, method_id, ...attempt }) => {
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
      return [{ customer: { team_id, id: customer_id }, means }];
    });
    if (wanted.length > 0) await saveMethods(tx, secrets, context, wanted);
    if (used.length > 0) await touchMethods(tx, used, context.at);
  };
}
