import { type Html, html } from '../../../kit/html.ts';
import type { Document, Parameter, Schema } from '../types.ts';
import { inline } from './markdown.ts';

/** Renders schemas as lists of fields. */
export class Fields {
  readonly #document: Document;

  constructor(document: Document) {
    this.#document = document;
  }

  /** Resolves a reference within the document to its schema and name. */
  resolve(schema: Schema): { name: string | null; schema: Schema } {
    if (!schema.$ref) return { name: null, schema };
    const name = schema.$ref.split('/').at(-1) as string;
    return { name, schema: this.#document.components.schemas[name] ?? {} };
  }

  /** Renders the fields of a request body; null when it has none. */
  sent(schema: Schema): Html | null {
    return this.#list(schema, this.resolve(schema).schema.required ?? []);
  }

  /** Renders the fields of a response, where required and optional are not distinguished. */
  received(schema: Schema, leaveOut: readonly string[] = []): Html | null {
    return this.#list(schema, [], leaveOut);
  }

  #list(schema: Schema, required: readonly string[], leaveOut: readonly string[] = []): Html | null {
    const shown = Object.entries(this.resolve(schema).schema.properties ?? {}).filter(([name]) => !leaveOut.includes(name));
    if (shown.length === 0) return null;
    return html`<ul class="fields">${shown.map(([name, field]) => this.#field(name, field, required.includes(name)))}</ul>`;
  }

  parameters(parameters: Parameter[]): Html {
    return html`<ul class="fields">${parameters.map(({ name, schema, description, required }) =>
      this.#field(name, { ...schema, description }, required === true),
    )}</ul>`;
  }

  #field(name: string, field: Schema, required: boolean): Html {
    const { schema, name: component } = this.resolve(field);
    const inner = schema.items ? this.resolve(schema.items) : { schema, name: component };
    const linked = inner.name !== null && hasSection(inner.name, inner.schema) ? inner.name : null;
    return html`<li><code class="name">${name}</code> <span class="type">${this.#type(schema, linked)}</span>${
      required && html` <span class="required">required</span>`
    }<div>${inline(field.description ?? schema.description ?? '')}${limits(schema)}${this.#values(inner.schema)}</div>${
      !linked && inner.schema.properties && this.sent(inner.schema)
    }</li>`;
  }

  #type(schema: Schema, linked: string | null): Html {
    const array = schema.type === 'array' || (Array.isArray(schema.type) && schema.type.includes('array'));
    const shown = linked
      ? html`<a href="#object-${linked}">${linked}</a>`
      : html`${typeText(array ? (schema.items ?? {}) : schema)}`;
    return array ? html`list of ${shown}` : shown;
  }

  #values({ enum: values }: Schema): Html | null {
    if (!values) return null;
    const shown = values.filter((value) => value !== null).map((value) => html`<code>${String(value)}</code> `);
    if (values.length <= 12) return html`<div class="values">${shown}</div>`;
    return html`<details class="values"><summary>${values.length} values</summary>${shown}</details>`;
  }
}

/** Returns whether a schema has its own section: objects and unions do; enumerations are described where they are used. */
export function hasSection(name: string, schema: Schema): boolean {
  return (
    !/(Reply|List|Body|Event)$|^(Error|ValidationError|PaymentRefused|RateLimited)$/.test(name) &&
    !!(schema.properties || schema.oneOf)
  );
}

function typeText({ type, enum: values, anyOf, oneOf, format }: Schema): string {
  if (values) return values.includes(null) ? 'text or null' : 'text';
  const words = [type ?? (anyOf || oneOf ? 'object' : 'anything')]
    .flat()
    .map((word) => (word === 'string' ? (format ?? 'text') : word));
  return words.join(' or ');
}

function limits({
  minimum,
  maximum,
  minLength,
  maxLength,
  default: standard,
  minItems,
  maxItems,
  maxProperties,
}: Schema): Html | null {
  const exact = minLength !== undefined && minLength === maxLength;
  const told = [
    minimum !== undefined && `at least ${minimum}`,
    maximum !== undefined && `at most ${maximum}`,
    exact && `${minLength} characters`,
    !exact && typeof minLength === 'number' && minLength > 1 && `at least ${minLength} characters`,
    !exact && maxLength !== undefined && `at most ${maxLength} characters`,
    minItems !== undefined && `at least ${minItems}`,
    maxItems !== undefined && `at most ${maxItems}`,
    maxProperties !== undefined && `at most ${maxProperties} keys`,
    standard !== undefined && `default ${standard}`,
  ].filter((text) => text !== false);
  return told.length > 0 ? html` <span class="limits">${told.join(', ')}</span>` : null;
}
