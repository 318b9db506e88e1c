import { type Static, type TProperties, type TSchema, Type } from 'typebox';
import type { JsonObject } from '../../kit/json.ts';
import { CURRENCIES } from '../../kit/money.ts';
import { type Fields as PersonalFields, type Rule, redacted, removed } from '../../kit/personal.ts';
import { keepingObject, moment, nullableArray, nullableObject, nullableText } from '../../kit/schema.ts';
import { PAYMENT_STATUSES } from './states.ts';

/** Views of a payment, each with the fields of those before it: reply to its creation, list, public key, its owner. */
const VIEWS = ['created', 'listed', 'public', 'retrieved'] as const;

export type View = (typeof VIEWS)[number];

/** Definition of a field, from which everything else about it is derived: documentation, SQL, list filters, replies, erasure. */
type Field = Shape & (Stored | { stored?: undefined; personal?: undefined });

/** A value that is stored as it was sent. */
interface Stored {
  /** In a text column of the field's name, or as a key of `details`. */
  stored: 'column' | 'details';
  /** What an erasure makes of it. Values that the code sets are listed in personal.ts. */
  personal: Rule;
}

interface Shape {
  /** Its schema in the body of POST /payments; left out: it cannot be sent. */
  sent?: TSchema;
  /** The column of a value that the code sets: a bigint is an amount, a Date a time. */
  column?: string;
  /** The first view that shows it; left out: it is never returned. A value that is not stored is derived in present.ts. */
  shown?: View;
  /** Its schema in replies. */
  reply?: TSchema;
  /** Schema of the query field of the same name, which lists the payments with exactly this value. */
  equals?: TSchema;
  /** Who may search it: a public key must not find payers. */
  searched?: 'anyone' | 'secret_key';
}

const text = Type.String();
const status = Type.Enum([...PAYMENT_STATUSES]);
const freeObject = (description: string) => Type.Optional(Type.Unsafe<JsonObject | null>(nullableObject({ description })));

const item = keepingObject({
  name: Type.Optional(Type.String({ maxLength: 255 })),
  description: Type.Optional(Type.String({ maxLength: 1000 })),
  quantity: Type.Optional(Type.Number({ minimum: 0 })),
});

export type Item = Static<typeof item>;

const email = Type.Optional(Type.String({ format: 'email', maxLength: 255 }));
const phone = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 32,
    description: 'National or international form; checked when a channel is chosen.',
  }),
);
const name = Type.Optional(Type.String({ maxLength: 255 }));

const attempt = Type.Object({
  id: text,
  provider: text,
  channel: text,
  status: text,
  reason: nullableText(),
  explanation: nullableText({ description: 'Why this provider was tried.' }),
  created_at: moment,
});

/** The fields of a payment, in the order of its replies. */
export const FIELDS = {
  id: { column: 'id', shown: 'created', reply: text, searched: 'anyone' },
  reference: {
    sent: Type.Optional(Type.String({ maxLength: 128, description: 'Your reference; need not be unique.' })),
    stored: 'column',
    personal: { ...redacted, clears: 'unique_reference' },
    shown: 'created',
    reply: nullableText(),
    searched: 'anyone',
  },
  amount: {
    sent: Type.Number({ minimum: 0.01, description: 'Major units: 25000 is 25,000 XAF. At most two decimals.' }),
    column: 'amount_minor',
    shown: 'created',
    reply: Type.Number(),
  },
  currency: { sent: Type.Enum(CURRENCIES, { description: 'ISO 4217.' }), column: 'currency', shown: 'created', reply: text },
  status: { column: 'status', shown: 'created', reply: status, equals: Type.Optional(status) },
  channel: { column: 'channel', shown: 'listed', reply: nullableText() },
  description: {
    sent: Type.Optional(Type.String({ maxLength: 500 })),
    stored: 'column',
    personal: redacted,
    shown: 'created',
    reply: nullableText(),
    searched: 'secret_key',
  },
  name: { sent: name, column: 'name', searched: 'secret_key' },
  email: { sent: email, column: 'email', searched: 'secret_key' },
  phone: { sent: phone, column: 'phone', searched: 'secret_key' },
  sandbox: { shown: 'created', reply: Type.Boolean() },
  created_at: { column: 'created_at', shown: 'created', reply: moment },
  // ------------------------------------------------------------------------------------- of a retrieved payment
  settled: { column: 'settled', shown: 'public', reply: Type.Boolean() },
  reason: { column: 'reason', shown: 'public', reply: nullableText() },
  metadata: {
    sent: freeObject('Your data: at most 50 keys and 16 KB.'),
    stored: 'details',
    personal: redacted,
    shown: 'public',
    reply: nullableObject(),
  },
  // -------------------------------------------------------------- of its owner: page source must not leak payers
  amount_total: { shown: 'retrieved', reply: Type.Number() },
  amount_captured: { column: 'captured_minor', shown: 'retrieved', reply: Type.Number() },
  amount_refunded: { column: 'refunded_minor', shown: 'retrieved', reply: Type.Number() },
  fee: { column: 'fee_minor', shown: 'retrieved', reply: Type.Number() },
  bearer: {
    sent: Type.Optional(Type.Enum(['merchant', 'customer'], { default: 'merchant', description: 'Who bears the fee.' })),
    column: 'bearer',
    shown: 'retrieved',
    reply: text,
  },
  message: { column: 'message', shown: 'retrieved', reply: nullableText() },
  customer: { column: 'customer_id', shown: 'retrieved', reply: nullableText() },
  payment_method: { column: 'payment_method', shown: 'retrieved', reply: nullableText() },
  account: { column: 'account_id', shown: 'retrieved', reply: nullableText() },
  retry_of: { column: 'retry_of', shown: 'retrieved', reply: nullableText() },
  retried_by: { column: 'retried_by', shown: 'retrieved', reply: nullableText() },
  callback: {
    sent: Type.Optional(Type.String({ format: 'web-url', maxLength: 2048, description: 'URL to which the payer returns.' })),
    stored: 'column',
    personal: redacted,
    shown: 'retrieved',
    reply: nullableText(),
  },
  items: {
    sent: Type.Optional(Type.Array(item, { maxItems: 500 })),
    stored: 'details',
    personal: redacted,
    shown: 'retrieved',
    reply: nullableArray(),
  },
  address: {
    sent: freeObject('line1, line2, city, state, postal_code, country. At most 50 keys and 16 KB.'),
    stored: 'details',
    personal: removed(),
    shown: 'retrieved',
    reply: nullableObject(),
  },
  shipping: {
    sent: freeObject('name, phone, method, amount, address. At most 50 keys and 16 KB.'),
    stored: 'details',
    personal: removed({ identifies: { name: 'name', phone: 'phone' } }),
    shown: 'retrieved',
    reply: nullableObject(),
  },
  theming: {
    sent: freeObject('color, logo, title, button_text, locale. At most 50 keys and 16 KB.'),
    stored: 'details',
    personal: redacted,
    shown: 'retrieved',
    reply: nullableObject(),
  },
  telemetry: {
    sent: freeObject('plugin, platform, sdk, user_agent. At most 50 keys and 16 KB.'),
    stored: 'details',
    personal: removed(),
  },
  expires_at: { column: 'expires_at', shown: 'retrieved', reply: moment },
  completed_at: { column: 'completed_at', shown: 'retrieved', reply: nullableText() },
  updated_at: { column: 'updated_at', shown: 'retrieved', reply: moment },
  attempts: { shown: 'retrieved', reply: Type.Array(attempt) },
} as const satisfies Record<string, Field>;

type Fields = typeof FIELDS;

/** Names of the fields whose definition has all of `Part`. */
type NamesOf<Part> = { [Name in keyof Fields]: Fields[Name] extends Part ? Name : never }[keyof Fields];

/** One property of each field that has it. */
type Each<Key extends string> = {
  [Name in NamesOf<Record<Key, unknown>>]: Fields[Name] extends Record<Key, infer Value> ? Value : never;
};

const TABLE = Object.entries<Field>(FIELDS).map(([name, field]) => ({ name, ...field, column: field.column ?? name }));

// ------------------------------------------------------------------------------------------- bodies and queries
function each<Key extends 'sent' | 'equals'>(key: Key): Each<Key> {
  return Object.fromEntries(TABLE.filter((field) => field[key]).map((field) => [field.name, field[key]])) as Each<Key>;
}

/** Fields of the body of POST /payments. */
export const sent = each('sent');

/** Query fields of the lists that a payment must equal. */
export const equals = each('equals');

/** The columns of {@link equals}. */
export const equalColumns = TABLE.flatMap(({ name, column, equals }) => (equals ? [{ name: name as EqualField, column }] : []));
export type EqualField = NamesOf<{ equals: TSchema }>;

/** Returns the fields that a search covers. */
export function searchedFields(by: 'anyone' | 'secret_key') {
  return TABLE.filter(({ searched }) => searched === 'anyone' || searched === by);
}

// --------------------------------------------------------------------------------------------------- replies
/** Names of the columns that replies show. */
export type ShownColumn = Each<'column'>[NamesOf<{ column: string }>];

/** Fields whose value is neither in a column nor in `details`. */
export type DerivedField = Exclude<keyof Fields, NamesOf<{ column: string }> | NamesOf<{ stored: string }>>;

/** Returns the fields that a view shows, in the order of the replies. */
export function shownIn(view: View) {
  const views = VIEWS.slice(0, VIEWS.indexOf(view) + 1);
  return TABLE.filter(({ shown }) => shown && views.includes(shown));
}

/** Returns the schema of a view. A public key does not get the fields that only the owner sees. */
export function replyOf(view: View) {
  const schemas = shownIn(view).map(({ name, shown, reply = Type.Unknown() }) => {
    return [name, shown === 'retrieved' ? Type.Optional(reply) : reply];
  });
  return Type.Object(Object.fromEntries(schemas) as TProperties);
}

// --------------------------------------------------------------------------------------------------- storage
export type StoredColumn = NamesOf<{ stored: 'column' }>;
export type StoredDetail = NamesOf<{ stored: 'details' }>;

/** The values in `details`: only what was sent. */
export type StoredDetails = { [Name in StoredDetail]?: Static<Fields[Name]['sent']> };

const storedIn = (place: string) => TABLE.filter(({ stored }) => stored === place).map(({ name }) => name);

export const STORED_COLUMNS = storedIn('column') as StoredColumn[];
export const STORED_DETAILS = storedIn('details') as StoredDetail[];

/** Returns the part of a list of personal data (personal.ts) that is about stored values. */
export function storedList(place: 'column' | 'details', shown_only = false): PersonalFields {
  const rules = TABLE.flatMap((field) =>
    field.stored === place && (field.shown || !shown_only) ? [[field.name, field.personal] as const] : [],
  );
  return { plain: '', rules: Object.fromEntries(rules) };
}
