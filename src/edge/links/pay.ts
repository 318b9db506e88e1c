import { levelOf, paymentProblem } from '../../money/transaction-limits/service.ts';
import type { Store } from '../../platform/db/stores.ts';
import { sha256 } from '../../kit/crypto.ts';
import { must } from '../../kit/errors.ts';
import type { JsonObject } from '../../kit/json.ts';
import { type Minor, wireFromMinor } from '../../kit/money.ts';
import { hostedPageUrl } from '../../core/payments/token.ts';
import { creating, createInTransaction, findCreatedBefore } from '../../core/payments/create-within.ts';
import type { CreatePaymentBody } from '../../core/payments/schema.ts';
import { findTeam, type TeamRow } from '../../tenants/teams/store.ts';
import type { LinkDeps } from './deps.ts';
import type { LinkRow, PayerField } from './schema.ts';
import { isOver } from './service.ts';
import { countMade, findLink, lockLink } from './store.ts';
import { readLinkToken } from './token.ts';
import { type Uses, usesLeft } from './uses.ts';

/** Validity of a payment created by a link. A charge in progress at its end is still awaited. */
const WINDOW_MINUTES = 30;
const ROUTE = 'POST /l/:token';

/** A link with the data that its page needs. */
export interface OpenedLink {
  store: Store;
  link: LinkRow;
  team: TeamRow;
}

/** Returns the link of a token; null for a token that this server did not issue, or an unknown link. */
export async function openLink(deps: Pick<LinkDeps, 'stores' | 'secrets'>, token: string): Promise<OpenedLink | null> {
  const ref = readLinkToken(deps.secrets, token);
  if (!ref) return null;
  const store = deps.stores.live.of(ref.team_id);
  const link = await findLink(store.db, ref);
  if (!link) return null;
  return { store, link, team: must(await findTeam(deps.stores.control, link.team_id), 'a link has a team') };
}

/** State of a link for a payer. */
export type LinkStanding = 'open' | 'inactive' | 'expired' | Exclude<Uses, 'free'>;

/** Returns the state of a link for a payer. */
export function linkStanding(link: LinkRow, at: number): LinkStanding {
  if (link.status === 'inactive') return 'inactive';
  if (link.status === 'expired' || isOver(link, at)) return 'expired';
  const left = usesLeft(link);
  return left === 'free' ? 'open' : left;
}

/** Columns of a link against which the amount of a payment is validated. */
const PRICE = ['amount_minor', 'min_amount_minor', 'max_amount_minor'] as const;

/** The payer and the amount, validated. */
export type Payer = Partial<Record<PayerField, string>> & { amount_minor: Minor };

/**
 * A submitted form.
 * @param once identifies the form that one browser received, together with what was typed in it
 */
export interface Submitted {
  payer: Payer;
  once: string;
  request_id: string;
}

/**
 * Creates the payment of a submitted form and counts it, in one transaction under the link's lock. It takes no use: its charge
 * does (uses.ts). Submitting the same form twice creates one payment.
 * @returns the URL of the hosted page, or the reason why the link accepts no payment now; `repriced` when its amount or limits are no
 * longer those against which the form was validated
 * @throws Problem 402 unverified team, 422 amount above its transaction limit, blocked customer
 */
export async function payLink(
  deps: LinkDeps,
  { store, link, team }: OpenedLink,
  { payer, once, request_id }: Submitted,
): Promise<{ url: string } | Exclude<LinkStanding, 'open'> | 'repriced'> {
  const at = deps.clock.now();
  const name = { route: ROUTE, key: `${link.id}:${once}`, hash: sha256(once) };
  const outcome = await creating(store.db, async (tx) => {
    const locked = must(await lockLink(tx, link), 'links are never deleted');
    const earlier = await findCreatedBefore(tx, link.team_id, name);
    if (earlier) return earlier;
    const standing = linkStanding(locked, at);
    if (standing !== 'open') return standing;
    if (PRICE.some((column) => locked[column] !== link[column])) return 'repriced';
    const objection = paymentProblem(levelOf(store.environment, team), link.currency, payer.amount_minor);
    if (objection) throw objection;
    const order = { caller: { team, store, key_id: link.id }, body: bodyOf(locked, payer), request_id, at };
    const payment = await createInTransaction(tx, order, payer.amount_minor, name);
    await countMade(tx, link);
    return payment;
  });
  if (typeof outcome === 'string') return outcome;
  deps.wake.ring(store.environment);
  return { url: hostedPageUrl(deps, store, link.team_id, outcome.id) };
}

function bodyOf(link: LinkRow, { amount_minor, ...payer }: Payer): CreatePaymentBody {
  const metadata: JsonObject = { ...link.metadata, link: link.id };
  return {
    ...payer,
    amount: wireFromMinor(amount_minor),
    currency: link.currency as CreatePaymentBody['currency'],
    description: link.title,
    metadata,
    expires: { in: WINDOW_MINUTES },
    ...(link.callback === null ? {} : { callback: link.callback }),
    ...(link.theming === null ? {} : { theming: link.theming }),
  };
}
