import type { TSchema } from 'typebox';
import { blot } from '../../kit/log.ts';
import { nearest } from '../../kit/nearest.ts';

/** Maximum number of unknown fields that a response lists; a hostile body can contain thousands. */
const MAX_LISTED = 20;
/** Maximum characters of a field name that is repeated in a response. */
const MAX_NAME = 64;

/** A field of a body that its operation ignores. */
export interface UnknownField {
  /** Dotted path, shortened. */
  path: string;
  /** Dotted path of the field that was probably meant; null: none is similar. */
  near: string | null;
}

/** The unknown fields of a body, sorted by name, so that a repeated request lists the same ones whatever their order. */
export interface UnknownFields {
  listed: UnknownField[];
  /** Number of further unknown fields. */
  more: number;
}

/** Fields of an object: by name, with those inside where the schema lists them. Null: the object may hold anything. */
interface Known {
  fields: Map<string, Known | null>;
  /** Dotted paths of all fields, the inner ones relative to the object. */
  paths: string[];
}

interface Shape {
  properties?: Record<string, Shape>;
  /** Of an object that ignores unknown fields: `true`. */
  additionalProperties?: unknown;
  items?: Shape;
}

interface Found {
  /** Path of the object that contains the field, with a final dot; empty at the top. */
  inside: string;
  name: string;
  known: Known;
}

/**
 * Returns a function that finds the fields of a body that its schema does not have; called once per route. Objects whose schema lists no
 * fields, such as `metadata`, and those that keep other fields may hold anything. For a body without unknown fields the cost is one
 * look-up for each field.
 */
export function unknownFieldsOf(schema: TSchema): (body: unknown) => UnknownFields {
  let known: Known | null | undefined;
  return (body) => {
    if (known === undefined) known = knownOf(schema as Shape);
    const found: Found[] = [];
    if (known) collect(body, known, '', found);
    return found.length === 0 ? NONE : described(found, known as Known);
  };
}

const NONE: UnknownFields = { listed: [], more: 0 };

function described(found: readonly Found[], top: Known): UnknownFields {
  const sorted = found.map((field) => ({ ...field, path: field.inside + shortened(field.name) })).sort(byPath);
  const listed = sorted
    .slice(0, MAX_LISTED)
    .map(({ path, inside, name, known }) => ({ path, near: nearOf(inside, name, known, top) }));
  return { listed, more: found.length - listed.length };
}

function byPath(a: { path: string }, b: { path: string }): number {
  if (a.path === b.path) return 0;
  return a.path < b.path ? -1 : 1;
}

/** Returns a similar field of the same object, or one of the same name elsewhere in the body. */
function nearOf(inside: string, name: string, known: Known, top: Known): string | null {
  const beside = nearest(name, known.paths);
  if (beside !== null) return inside + beside;
  return inside !== '' && top.fields.has(name) ? name : null;
}

function collect(value: unknown, known: Known, inside: string, found: Found[]): void {
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) collect(item, known, `${inside}${i}.`, found);
    return;
  }
  if (value === null || typeof value !== 'object') return;
  for (const name of Object.keys(value)) {
    const inner = known.fields.get(name);
    if (inner) collect((value as Record<string, unknown>)[name], inner, `${inside}${name}.`, found);
    else if (inner === undefined) found.push({ inside, name, known });
  }
}

/** Returns the fields of a schema. The recursion is as deep as the schema in the code, whatever the body. */
function knownOf(schema: Shape): Known | null {
  const { properties, additionalProperties } = schema.items ?? schema;
  if (!properties || typeof additionalProperties === 'object') return null;
  const fields = new Map(Object.entries(properties).map(([name, inner]) => [name, knownOf(inner)]));
  // Paths of fields in list entries contain an index, so they are not suggested.
  const single = [...fields].filter(([name]) => !properties[name]?.items);
  const inner = single.flatMap(([name, field]) => (field?.paths ?? []).map((path) => `${name}.${path}`));
  return { fields, paths: [...fields.keys(), ...inner] };
}

/** Returns the caller's field name for a response: cut, and without anything that looks like a key or a card number. */
function shortened(name: string): string {
  const shown = blot(name.slice(0, MAX_NAME));
  return name.length > MAX_NAME ? `${shown}…` : shown;
}
