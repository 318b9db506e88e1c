/** What of JSON Schema our document uses, and the TypeScript that says the same. */

export interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: boolean | Schema;
  description?: string;
}

/** Names that every program already uses for something else. */
const RENAMED: Record<string, string> = { Error: 'ErrorReply', Event: 'PirogueEvent' };
const LINE_WIDTH = 130;

/** A named shape. */
export function declaration(name: string, schema: Schema): string {
  const plain = schema.type === 'object' && schema.properties;
  // What is sent may hold `undefined`: it is left out of the JSON.
  const sent = name.endsWith('Body');
  const type = plain ? objectType(schema, sent, 0) : typeOf(schema, sent, 0);
  const head = plain ? `export interface ${nameOf(name)}` : `export type ${nameOf(name)} =`;
  return `${comment(schema.description, 0)}${head} ${type}${plain ? '' : ';'}\n`;
}

/** @param sent part of a body: may hold `undefined`, which JSON leaves out; @param depth of indentation */
export function typeOf(schema: Schema, sent: boolean, depth: number): string {
  if (schema.$ref) return nameOf(baseName(schema.$ref));
  if ('const' in schema) return literal(schema.const);
  if (schema.enum) return union(schema.enum.map(literal), depth);
  const parts = schema.anyOf ?? schema.oneOf;
  if (parts) {
    return union(
      parts.map((part) => typeOf(part, sent, depth)),
      depth,
    );
  }
  const types = [schema.type ?? fail('a schema without a type', schema)].flat();
  return union(
    types.map((type) => simpleType(type, schema, sent, depth)),
    depth,
  );
}

function simpleType(type: string, schema: Schema, sent: boolean, depth: number): string {
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
    case 'number':
      return type;
    case 'integer':
      return 'number';
    case 'array': {
      const item = typeOf(schema.items ?? fail('an array without items', schema), sent, depth);
      return item.includes(' ') ? `(${item})[]` : `${item}[]`;
    }
    case 'object':
      return objectType(schema, sent, depth);
    default:
      return fail(`an unknown type ${type}`, schema);
  }
}

/** `{…}`, or a record where the document names no properties. */
export function objectType({ properties, required = [], additionalProperties }: Schema, sent: boolean, depth: number): string {
  if (!properties) {
    const values = typeof additionalProperties === 'object' ? typeOf(additionalProperties, sent, depth) : 'unknown';
    return `Record<string, ${values}>`;
  }
  const indent = '  '.repeat(depth + 1);
  const rows = Object.entries(properties).map(([name, schema]) => {
    const key = /^[a-z_]\w*$/i.test(name) ? name : `'${name}'`;
    const optional = !required.includes(name);
    const type = typeOf(schema, sent, depth + 1) + (sent && optional ? ' | undefined' : '');
    return `${comment(schema.description, depth + 1)}${indent}${key}${optional ? '?' : ''}: ${type};\n`;
  });
  return `{\n${rows.join('')}${'  '.repeat(depth)}}`;
}

function union(members: string[], depth: number): string {
  const unique = [...new Set(members)];
  const line = unique.join(' | ');
  if (line.length + 2 * depth < LINE_WIDTH - 30 || line.includes('\n')) return line;
  const indent = '  '.repeat(depth + 1);
  return `\n${unique.map((member) => `${indent}| ${member}`).join('\n')}`;
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value);
}

function comment(text: string | undefined, depth: number): string {
  return text ? `${'  '.repeat(depth)}/** ${text.replaceAll('*/', '*\\/')} */\n` : '';
}

/** The last part of a `$ref`. */
export function baseName(ref: string): string {
  return ref.slice(ref.lastIndexOf('/') + 1);
}

/** What a schema is called in TypeScript. */
export function nameOf(name: string): string {
  return RENAMED[name] ?? name;
}

/** @throws for what this generator was not written for */
export function fail(what: string, where: unknown): never {
  throw new Error(`docs/openapi.json has ${what}: ${JSON.stringify(where).slice(0, 300)}`);
}
