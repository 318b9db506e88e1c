import type { TSchema } from 'typebox';
import { must } from '../../kit/errors.ts';
import { canonicalJson } from '../../kit/json.ts';
import { describe } from './glossary.ts';
import type { Schema } from './types.ts';

/**
 * Converts the schemas of routes to those of the document. A named shape becomes a component wherever it occurs, at any depth.
 * Shapes are compared by content, not by object identity, because TypeBox copies.
 */
export class Schemas {
  readonly components: Record<string, Schema> = {};
  readonly #names = new Map<string, string>();
  readonly #shapes = new Map<string, Schema>();

  /**
   * Names a shape. The first name of a shape is kept.
   * @throws Error when another shape has the name
   */
  name(name: string, schema: TSchema | Schema): void {
    const shape = plain(schema);
    const text = shapeText(shape);
    if (this.#names.has(text)) return;
    if (this.#shapes.has(name)) throw new Error(`two shapes are called ${name}: name one of them in http/openapi/names.ts`);
    this.#names.set(text, name);
    this.#shapes.set(name, shape);
  }

  nameOf(schema: TSchema | Schema): string | undefined {
    return this.#names.get(shapeText(plain(schema)));
  }

  has(name: string): boolean {
    return this.#shapes.has(name);
  }

  /** Returns the schema as shown at the place of use. */
  of(schema: TSchema | Schema): Schema {
    return this.#walk(plain(schema), '');
  }

  ref(name: string): Schema {
    this.#define(name);
    return { $ref: `#/components/schemas/${name}` };
  }

  #walk(schema: Schema, owner: string): Schema {
    const name = this.#names.get(shapeText(schema));
    if (name === undefined) return this.#inside(schema, owner);
    const own = must(this.#shapes.get(name), 'a name has a shape').description;
    const { description } = schema;
    return { ...this.ref(name), ...(description !== undefined && description !== own ? { description } : {}) };
  }

  #define(name: string): void {
    if (this.components[name]) return;
    this.components[name] = {};
    this.components[name] = this.#inside(must(this.#shapes.get(name), `the shape ${name} is known`), name);
  }

  /** @param owner component that contains the schema; a word can have another meaning there */
  #inside(schema: Schema, owner: string): Schema {
    const { items, properties, anyOf, allOf, oneOf, ...rest } = schema;
    const each = (list: Schema[]) => list.map((part) => this.#walk(part, owner));
    return {
      ...rest,
      ...(items ? { items: this.#walk(items, owner) } : {}),
      ...(properties ? { properties: this.#fields(properties, owner) } : {}),
      ...(anyOf ? { anyOf: each(anyOf) } : {}),
      ...(oneOf ? { oneOf: each(oneOf) } : {}),
      ...(allOf ? { allOf: each(allOf) } : {}),
    };
  }

  #fields(properties: Record<string, Schema>, owner: string): Record<string, Schema> {
    return Object.fromEntries(
      Object.entries(properties).map(([field, schema]) => {
        const { $ref, ...described } = describe(owner, field, schema);
        if (!$ref) return [field, this.#walk(described, owner)];
        const { description } = described;
        return [field, { ...($ref.startsWith('#') ? { $ref } : this.ref($ref)), ...(description ? { description } : {}) }];
      }),
    );
  }
}

/** Converts a schema to plain JSON: without TypeBox internals, and with formats of JSON Schema. */
export function plain(schema: TSchema | Schema): Schema {
  return JSON.parse(
    JSON.stringify(schema, (key, value) => {
      if (key.startsWith('~')) return undefined;
      return key === 'format' && value === 'web-url' ? 'uri' : value;
    }),
  );
}

/** A description at the place of use does not make a different shape. */
function shapeText({ description: _, default: __, ...shape }: Schema): string {
  return canonicalJson(shape);
}
