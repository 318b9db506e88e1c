import type { Warning } from '../../kit/envelope.ts';
import { Problem } from '../../kit/errors.ts';
import { versions } from '../versions/registry.ts';
import { hint } from './hints.ts';
import type { Route } from './route.ts';
import { type UnknownField, type UnknownFields, unknownFieldsOf } from './unknown-fields.ts';

/** Advice about the body of one operation: warnings on success, hints on errors. */
export interface Adviser {
  /**
   * Returns the warnings about an accepted body. They depend on the body alone, so that the replay of an Idempotency-Key repeats them
   * without storing them.
   */
  warnings(version: string, sent_body: unknown): Warning[];
  /** Adds the hint to a 422 whose rejected field was probably sent under an unknown name. Any other error is returned unchanged. */
  hinted(version: string, sent_body: unknown, error: unknown): unknown;
}

/** Returns the adviser of a route; called once per route. */
export function adviserOf(route: Route): Adviser {
  const { body: schema, warn } = route;
  if (!schema) return { warnings: () => [], hinted: (_version, _body, error) => error };
  const name = `${route.method} ${route.path}`;
  const unknown = unknownFieldsOf(schema);
  const newest = (version: string, body: unknown) => versions.upgrade(version, name, { body, query: {} }).body;
  const named = (version: string, { path, near }: UnknownField): UnknownField => ({
    path: versions.fieldFor(version, name, path),
    near: near && versions.fieldFor(version, name, near),
  });
  return {
    warnings(version, sent_body) {
      const body = newest(version, sent_body);
      const own = (warn?.(body) ?? []).map((warning) => ({ ...warning, field: versions.fieldFor(version, name, warning.field) }));
      const { listed, more } = unknown(body);
      return [...own, ...warningsOf({ listed: listed.map((field) => named(version, field)), more })];
    },
    hinted(version, sent_body, error) {
      const rejected = error instanceof Problem && error.status === 422 ? error.details.errors : undefined;
      if (!rejected || !(error instanceof Problem)) return error;
      const body = newest(version, sent_body);
      const isMeant = (near: string | null) => near !== null && Object.hasOwn(rejected, near) && !isSent(body, near);
      const meant = unknown(body).listed.find(({ near }) => isMeant(near));
      if (!meant?.near) return error;
      const { path, near } = named(version, meant);
      return error.hinted(hint('unknown_field', { field: path, near: near ?? '' }));
    },
  };
}

/** Returns whether the body has a field, whatever its value. Its fault is then not a wrong name. */
function isSent(body: unknown, path: string): boolean {
  const inside = (value: unknown, name: string): unknown =>
    value !== null && typeof value === 'object' && Object.hasOwn(value, name)
      ? (value as Record<string, unknown>)[name]
      : undefined;
  return path.split('.').reduce(inside, body) !== undefined;
}

function warningsOf({ listed, more }: UnknownFields): Warning[] {
  const warnings = listed.map(({ path, near }) => ({
    field: path,
    message: `is not a field of this operation and was ignored${near === null ? '' : `: did you mean ${near}?`}`,
  }));
  if (more > 0) warnings.push({ field: 'body', message: `has ${more} more unknown fields, which were ignored` });
  return warnings;
}
