import { entryOf } from '../../kit/entry-of.ts';
import type { Json, JsonObject } from '../../kit/json.ts';
import { type Fields, type IdentityKind, plainNames, type Rule } from '../../kit/personal.ts';
import type { Identity, Redactor } from './redact.ts';

/** Values that replace personal data. */
export interface Replacement {
  pseudonym: string | null;
  redactor: Redactor;
  /** Absent: values that become a hash are kept. */
  hash?: (value: string) => string;
}

/** Applies the rules to the columns of a row. Columns without a rule are unchanged. */
export function eraseRow<Row extends object>(row: Row, { rules = {} }: Fields, by: Replacement): Row {
  const columns = Object.entries(row).map(([name, value]): [string, unknown] => {
    const rule = rules[name];
    return [name, rule ? erased(value as Json, rule, by) : value];
  });
  const after = Object.fromEntries(columns) as Record<string, unknown>;
  for (const [name, rule] of Object.entries(rules)) {
    const value = after[name];
    if (rule.becomes === 'redacted' && rule.clears && value !== (row as Record<string, unknown>)[name])
      after[rule.clears] = false;
    if (rule.becomes !== 'hash' || !by.hash || typeof value !== 'string') continue;
    Object.assign(after, { [name]: null, [rule.into]: by.hash(value) });
  }
  return after as Row;
}

/** Applies the rules to the keys of a JSON object. A key that is in no list is redacted. */
export function eraseObject(object: JsonObject, of: Fields, by: Replacement): JsonObject {
  const plain = new Set(plainNames(of.plain));
  const entries = Object.entries(object).map(([name, value]): [string, Json] => {
    const rule = of.rules && entryOf(of.rules, name);
    if (rule) return [name, erased(value, rule, by)];
    return plain.has(name) ? [name, value] : [by.redactor.text(name), by.redactor.value(value)];
  });
  return Object.fromEntries(entries);
}

function erased(value: Json, rule: Rule, by: Replacement): Json {
  switch (rule.becomes) {
    case 'null':
    case 'deleted':
      return null;
    case 'pseudonym':
      return by.pseudonym;
    case 'redacted':
      return by.redactor.value(value);
    case 'fields':
      if (Array.isArray(value)) return value.map((item) => erased(item, rule, by));
      return isObject(value) ? eraseObject(value, rule.fields, by) : value;
    case 'hash':
    case 'generated':
    case 'event':
    case 'kept':
    case 'restored':
      return value;
    default:
      return rule satisfies never;
  }
}

/** A value that identifies a person. */
export interface Found {
  kind: IdentityKind;
  value: string;
  /** Mails to this address are deleted too. */
  mailed: boolean;
}

/** Returns the values of a row or JSON object that identify the person, according to its list. */
export function foundIn(values: object, { rules = {} }: Fields): Found[] {
  return Object.entries(values).flatMap(([name, value]: [string, Json]) => {
    const rule = entryOf(rules, name);
    if (rule === undefined) return [];
    if (rule.becomes === 'fields') return isObject(value) ? foundIn(value, rule.fields) : [];
    if (!('identifies' in rule) || rule.identifies === undefined) return [];
    const { identifies } = rule;
    const mailed = 'mailed' in rule && rule.mailed === true;
    if (typeof identifies === 'string') return found(identifies, value, mailed);
    return isObject(value) ? Object.entries(identifies).flatMap(([key, kind]) => found(kind, value[key], mailed)) : [];
  });
}

function found(kind: IdentityKind, value: Json | undefined, mailed: boolean): Found[] {
  return typeof value === 'string' && value !== '' ? [{ kind, value, mailed }] : [];
}

/**
 * Adds values to an identity, and returns the same identity when it has them all.
 * @param pseudonym left out, because it identifies no person
 */
export function withFound(known: Identity, all: readonly Found[], pseudonym: string | null): Identity {
  const added = (kind: IdentityKind, values: readonly string[]) => {
    const more = all.filter((one) => one.kind === kind && one.value !== pseudonym).map(({ value }) => value);
    return [...new Set([...values, ...more])];
  };
  const { names, emails, phones } = known;
  const more = { names: added('name', names), emails: added('email', emails), phones: added('phone', phones) };
  const size = (identity: Identity) => identity.names.length + identity.emails.length + identity.phones.length;
  return size(more) === size(known) ? known : more;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
