import { isAddressOrRange } from '../../../../../kit/address-list.ts';
import { startOfUtcDay } from '../../../../../kit/days.ts';
import type { FieldErrors } from '../../../../../kit/errors.ts';
import type { KeyKind } from '../../../../../tenants/keys/caller.ts';
import { isScope } from '../../../../../tenants/keys/scopes.ts';
import { fieldOf, type TeamVisit } from '../../../page.ts';
import { chosenOf } from '../../../parts/choices.ts';
import type { WantedKey } from './service.ts';
import { KEY_TEXTS } from './texts.ts';

const DAY_MS = 86_400_000;
/** Maximum validity of a key, ten years: a longer one is a typing error. */
const MAX_DAYS = 3_660;
const MAX_ADDRESSES = 100;

/** Input of the form of a key. */
export interface TypedKey {
  kind: string;
  scopes: string[];
  addresses: string;
  expires: string;
}

/** Returns the input of the submitted form. */
export function typedKey(visit: TeamVisit): TypedKey {
  const text = (name: string) => fieldOf(visit, name);
  return { kind: text('kind'), scopes: chosenOf(visit, 'scopes'), addresses: text('addresses'), expires: text('expires') };
}

/** Validates the form of a key. Returns the requested key, or the errors by field. */
export function readKey(visit: TeamVisit, typed: TypedKey): { wanted: WantedKey } | { errors: FieldErrors } {
  const texts = KEY_TEXTS[visit.language].faults;
  const errors: FieldErrors = {};
  const kind = kindOf(typed.kind);
  const scopes = [...new Set(typed.scopes)].filter(isScope);
  if (!kind) errors.kind = [texts.kind];
  if (kind === 'restricted' && scopes.length === 0) errors.scopes = [texts.noScopes];
  if (kind && kind !== 'restricted' && typed.scopes.length > 0) errors.scopes = [texts.fixedScopes];
  const allowed_ips = addressesIn(typed.addresses);
  if (allowed_ips === null) errors.addresses = [texts.addresses];
  const expires_at = endOf(typed.expires, visit.at);
  if (expires_at === undefined) errors.expires = [texts.expires];
  if (!kind || allowed_ips === null || expires_at === undefined || Object.keys(errors).length > 0) return { errors };
  return { wanted: { kind, scopes, allowed_ips, expires_at } };
}

function kindOf(text: string): KeyKind | null {
  return text === 'public' || text === 'secret' || text === 'restricted' ? text : null;
}

/** Reads addresses and ranges, separated by spaces, lines or commas. Null: one is neither. */
function addressesIn(text: string): string[] | null {
  const entries = [...new Set(text.split(/[\s,;]+/).filter((entry) => entry !== ''))];
  const good = entries.length <= MAX_ADDRESSES && entries.every((entry) => isAddressOrRange(entry) && !entry.includes('%'));
  return good ? entries : null;
}

/**
 * Reads the last day of a key, in UTC.
 * @returns the end of that day; null for no day; undefined for one that does not exist, is over or is too far away
 */
export function endOf(text: string, now: number): Date | null | undefined {
  if (text === '') return null;
  const start = startOfUtcDay(text);
  if (start === null) return undefined;
  const end = start + DAY_MS;
  return end > now && end <= now + MAX_DAYS * DAY_MS ? new Date(end) : undefined;
}
