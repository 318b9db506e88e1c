import { recordEvents } from '../../money/webhooks/record-store.ts';
import type { Caller } from '../../tenants/keys/caller.ts';
import { type FieldErrors, invalid, notFound } from '../../kit/errors.ts';
import { isId, newId } from '../../kit/ids.ts';
import type { JsonObject } from '../../kit/json.ts';
import { checkFreeObjects } from '../../kit/metadata.ts';
import { isMovable, type Minor, minorFromWire, wireFromMinor } from '../../kit/money.ts';
import type { Queryable, Tx } from '../../kit/sql.ts';
import { leastOf } from '../../providers/reference/channels.ts';
import { checkLargest } from '../../providers/reference/largest.ts';
import type { LinkDeps } from './deps.ts';
import { presentLink } from './present.ts';
import type { ChangeLinkBody, CreateLinkBody, LinkRow } from './schema.ts';
import { type LinkStatus, type LinkTrigger, nextLinkStatus } from './states.ts';
import { findLink, insertLink, type LinkRef, lockLink, updateLink } from './store.ts';

/** Links exist in live only: a sandbox id is never a link. */
const ENVIRONMENT = 'live';

/** Time of a change of links, and the services that its event needs. */
export interface LinkContext {
  deps: Pick<LinkDeps, 'config' | 'secrets'>;
  /** Milliseconds since the epoch. */
  at: number;
}

/**
 * Creates a link and records `link.created`.
 * @throws Problem 422
 */
export async function createLink(
  tx: Tx,
  context: LinkContext,
  by: Pick<Caller, 'team' | 'key_id'> & { request_id: string },
  body: CreateLinkBody,
): Promise<LinkRow> {
  const now = new Date(context.at);
  const row: LinkRow = {
    ...EMPTY,
    ...fieldsOf(body),
    team_id: by.team.id,
    id: newId('lnk', ENVIRONMENT, context.at),
    title: body.title,
    currency: body.currency,
    status: 'active',
    event_count: 1,
    created_at: now,
    updated_at: now,
  };
  refuse(faultsOf(row, body, context.at));
  await insertLink(tx, row, by);
  await announce(tx, context, [row], 'link.created');
  return row;
}

/**
 * Returns a link.
 * @throws Problem 404, the same for an unknown id and another team's
 */
export async function getLink(db: Queryable, ref: LinkRef): Promise<LinkRow> {
  const row = isId('lnk', ENVIRONMENT, ref.id) ? await findLink(db, ref) : undefined;
  if (!row) throw notFound('Link');
  return row;
}

/**
 * PATCH: absent fields keep their value.
 * @param verify throws to prevent the change of the link as it is under its lock
 * @throws Problem 404, 422
 */
export async function changeLink(
  tx: Tx,
  context: LinkContext,
  ref: LinkRef,
  body: ChangeLinkBody,
  verify: (before: LinkRow) => void = () => undefined,
): Promise<LinkRow> {
  const before = isId('lnk', ENVIRONMENT, ref.id) ? await lockLink(tx, ref) : undefined;
  if (!before) throw notFound('Link');
  verify(before);
  const wanted = { ...before, ...fieldsOf(body) };
  const errors = faultsOf(wanted, body, context.at);
  if (body.currency !== undefined && body.currency !== before.currency) errors.currency = ['cannot be changed: make a new link'];
  const used = before.succeeded_count + before.held_count;
  // Late money may have exceeded the limit. A change of other fields does not require a higher limit.
  if (wanted.max_uses !== null && wanted.max_uses !== before.max_uses && wanted.max_uses < used)
    errors.max_uses = [`is less than the ${used} uses taken already`];
  const status = statusAfter(wanted, body, context.at, errors);
  refuse(errors);
  const row = { ...wanted, status, event_count: before.event_count + 1, updated_at: new Date(context.at) };
  await updateLink(tx, row);
  await announce(tx, context, [row], 'link.updated');
  return row;
}

/** Records the events of changes, in the transaction of the changes. */
export async function announce(
  tx: Tx,
  { deps, at }: LinkContext,
  rows: readonly LinkRow[],
  type: 'link.created' | 'link.updated',
): Promise<void> {
  await recordEvents(
    tx,
    ENVIRONMENT,
    at,
    rows.map((row) => ({
      team_id: row.team_id,
      type,
      resource_id: row.id,
      sequence: row.event_count,
      data: presentLink(deps, row),
    })),
  );
}

/**
 * Returns the status after a change. A later `expires_at` reactivates an expired link, unless the same request deactivates
 * it.
 */
function statusAfter(wanted: LinkRow, { active }: ChangeLinkBody, at: number, errors: FieldErrors): LinkStatus {
  const over = isOver(wanted, at);
  if (active && over) errors.expires_at ??= ['is over: send a later one, or null'];
  const triggers: LinkTrigger[] = over ? ['window_elapsed'] : ['prolonged'];
  if (active !== undefined) triggers.push(active ? 'activated' : 'deactivated');
  return triggers.reduce((status, trigger) => nextLinkStatus(status, trigger) ?? status, wanted.status);
}

/** Returns whether the link has expired, even before the sweep has marked it. */
export function isOver({ expires_at }: Pick<LinkRow, 'expires_at'>, at: number): boolean {
  return expires_at !== null && expires_at.getTime() <= at;
}

const EMPTY = {
  description: null,
  reference: null,
  amount_minor: null,
  min_amount_minor: null,
  max_amount_minor: null,
  expires_at: null,
  max_uses: null,
  collect: ['phone'] as LinkRow['collect'],
  callback: null,
  theming: null,
  metadata: null,
  made_count: 0,
  open_count: 0,
  held_count: 0,
  succeeded_count: 0,
  collected_minor: 0n,
};

/** Returns the fields that were sent. null is a value. Invalid amounts are reported by {@link faultsOf}. */
function fieldsOf(body: ChangeLinkBody): Partial<LinkRow> {
  const { title, description, reference, amount, min_amount, max_amount, expires_at } = body;
  const { max_uses, collect, callback, theming, metadata } = body;
  const fields = {
    ...{ title, description, reference, max_uses, collect, callback },
    amount_minor: minor(amount),
    min_amount_minor: minor(min_amount),
    max_amount_minor: minor(max_amount),
    expires_at: typeof expires_at === 'string' ? new Date(expires_at) : expires_at,
    theming: theming as JsonObject | null | undefined,
    metadata: metadata as JsonObject | null | undefined,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function minor(amount: number | null | undefined): Minor | null | undefined {
  return typeof amount === 'number' ? minorFromWire(amount) : amount;
}

/** Validates what the schema cannot check. */
function faultsOf(row: LinkRow, body: ChangeLinkBody, at: number): FieldErrors {
  const errors: FieldErrors = {};
  for (const field of ['amount', 'min_amount', 'max_amount'] as const) {
    const objection = objectionToAmount(field, body[field], row.currency);
    if (objection) errors[field] = [objection];
  }
  const { amount_minor, min_amount_minor: min, max_amount_minor: max } = row;
  if (amount_minor !== null && (min !== null || max !== null)) errors.amount ??= ['goes without min_amount and max_amount'];
  if (min !== null && max !== null && min > max) errors.max_amount ??= ['must not be below min_amount'];
  if (body.expires_at != null && isOver(row, at)) errors.expires_at = ['must be in the future'];
  if (!row.collect.some((field) => field !== 'name')) errors.collect = ['must hold email or phone'];
  const { metadata, theming } = body;
  return { ...errors, ...checkFreeObjects({ metadata, theming }) };
}

/**
 * Returns the error of an amount; null for none. Every channel accepts only whole amounts of a currency without decimals, and
 * has a minimum. A link with any other amount could never be paid. A lower limit may be below the minimum of the channels;
 * the page then shows the higher one.
 */
function objectionToAmount(
  field: 'amount' | 'min_amount' | 'max_amount',
  amount: number | null | undefined,
  currency: string,
): string | null {
  if (amount == null) return null;
  const exact = minorFromWire(amount);
  if (exact === null) return 'must have at most two decimals and be at most 9007199254740';
  if (!isMovable(exact, currency)) return `must be a whole amount: ${currency} has no decimals`;
  const tooLarge = field === 'max_amount' ? null : checkLargest(currency, exact);
  if (tooLarge) return tooLarge;
  const least = leastOf(currency);
  return field === 'min_amount' || exact >= least ? null : `must be at least ${wireFromMinor(least)} ${currency}`;
}

function refuse(errors: FieldErrors): void {
  if (Object.keys(errors).length > 0) throw invalid(errors);
}
