import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import type { TObject, TSchema } from 'typebox';
import type { FieldErrors } from '../../kit/errors.ts';
import { textFault } from './body.ts';

const MAX_MESSAGES = 100;

/** Compiles schemas of bodies. Values are not converted: a number in quotes is not a number. */
const bodies = compiler({ coerceTypes: false, verbose: true });
/** Compiles schemas of queries, whose values are text and are converted. */
const queries = compiler({ coerceTypes: true });

function compiler(options: { coerceTypes: boolean; verbose?: boolean }): Ajv {
  // The schemas are not validated here, which would delay the first request: test/openapi/document.test.ts validates those of all routes.
  const ajv = new Ajv({
    validateSchema: false,
    allErrors: true,
    useDefaults: false,
    strict: false,
    strictNumbers: true,
    ...options,
  });
  formats.default(ajv, ['email', 'date', 'date-time']);
  const { validate } = ajv.formats['date-time'] as { validate: (text: string) => boolean };
  // A leap second is a valid time, which no Date can be.
  ajv.addFormat('date-time', (text) => validate(text) && Number.isFinite(Date.parse(text)));
  ajv.addFormat('web-url', isWebUrl);
  return ajv;
}

/**
 * Maximum length of a parsed URL in UTF-16 units: the longest URL of a field has 2,048 characters. All faults of a text are checked,
 * so a text above the limit of its field would be parsed too, and parsing a long host takes a hundred milliseconds.
 */
const MAX_URL = 4_096;

/**
 * Accepts http and https URLs with a host, which a browser can be redirected to; rejects `javascript:` and the like. The parser
 * drops tabs and line breaks, but the URL that is stored must be the one that is called.
 */
function isWebUrl(text: string): boolean {
  return text.length <= MAX_URL && /^https?:\/\//i.test(text) && !/\p{Cc}/u.test(text) && URL.canParse(text);
}

export interface Validator {
  /** Returns all rejected fields at once; empty when the body is valid. */
  body(value: unknown): FieldErrors;
  /** Returns all rejected fields. Converts numbers in place. */
  query(value: Record<string, unknown>): FieldErrors;
}

/**
 * Returns the validator of a route; called once per route. It is compiled with the first request, because a process uses only some of
 * them and its start would wait for all.
 */
export function validatorOf(body: TSchema | undefined, query: TSchema | undefined): Validator {
  return {
    body: (value) => (body ? faultsOf(bodies.compile(body), value) : {}),
    query: (value) => {
      const faults = query ? faultsOf(queries.compile(query), value) : {};
      return { ...queryFaults(value), ...(query ? reversed(query, value, faults) : {}), ...faults, ...endless(value) };
    },
  };
}

function faultsOf(check: ValidateFunction, value: unknown): FieldErrors {
  return check(value) ? {} : fieldErrors(check.errors ?? []);
}

function queryFaults(value: Record<string, unknown>): FieldErrors {
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, text]) => {
      const fault = typeof text === 'string' ? textFault(text) : null;
      return fault ? [[name, [fault]]] : [];
    }),
  );
}

/** Returns the fault of valid days in the wrong order. */
function reversed(schema: TSchema, { date_from, date_to }: Record<string, unknown>, faults: FieldErrors): FieldErrors {
  const { properties = {} } = schema as Partial<TObject>;
  if (!('date_to' in properties) || faults.date_from || faults.date_to) return {};
  return date_from && date_to && date_to < date_from ? { date_to: ['must not be before date_from'] } : {};
}

/** Returns faults for infinite numbers: "Infinity" and 1e400 are converted to infinity, which passes some schemas. */
function endless(value: Record<string, unknown>): FieldErrors {
  const found = Object.entries(value).filter(([, number]) => typeof number === 'number' && !Number.isFinite(number));
  return Object.fromEntries(found.map(([name]) => [name, ['is too large']]));
}

function fieldErrors(errors: ErrorObject[]): FieldErrors {
  const fields: FieldErrors = {};
  for (const error of errors.slice(0, MAX_MESSAGES)) {
    const path = pathOf(error);
    fields[path] = [...(fields[path] ?? []), messageOf(error)];
  }
  return fields;
}

/**
 * Returns the dotted path of an error: `/customer/email` becomes `customer.email`. For a missing field it is the path of that
 * field.
 */
function pathOf(error: ErrorObject): string {
  const path = error.instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replace(/~1/g, '/').replace(/~0/g, '~'));
  if (error.keyword === 'required') path.push(error.params.missingProperty);
  return path.join('.') || 'body';
}

function messageOf(error: ErrorObject): string {
  switch (error.keyword) {
    case 'required':
      return 'is required';
    case 'enum':
      return `must be one of ${error.params.allowedValues.join(', ')}`;
    case 'format':
      return FORMATS[error.params.format] ?? 'is not valid';
    case 'type':
      return isQuoted(error)
        ? `must be a number${AMOUNTS.test(error.instancePath) ? ' in major units' : ''}, without quotes`
        : `must be ${[error.params.type].flat().join(' or ')}`;
    default:
      return error.message ?? 'is not valid';
  }
}

/** Fields of amounts: `amount`, `min_amount`, `unit_price`. */
const AMOUNTS = /(amount|price)$/;

/** Returns whether a number was sent as text. `data` is the rejected value; it is absent for queries, which convert text. */
function isQuoted({ params, data }: ErrorObject): boolean {
  const numeric = [params.type].flat().some((type) => type === 'number' || type === 'integer');
  return numeric && typeof data === 'string' && /^-?\d+(\.\d+)?$/.test(data.trim());
}

const FORMATS: Record<string, string> = {
  email: 'must be a valid e-mail address',
  date: 'must be a calendar date (YYYY-MM-DD)',
  'date-time': 'must be a moment in ISO 8601',
  'web-url': 'must be an http or https address',
};
