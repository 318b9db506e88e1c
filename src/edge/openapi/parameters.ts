import type { Route } from '../../tenants/api/route.ts';
import { describe } from './glossary.ts';
import { exampleId } from './examples/ids.ts';
import { plain, type Schemas } from './schemas.ts';
import type { Parameter, Ref, Schema } from './types.ts';

/** Prefix of the ids under a path. A channel's id is a word. */
const ID_PREFIXES: Record<string, string> = {
  payments: 'trx',
  refunds: 'rfd',
  transfers: 'po',
  beneficiaries: 'ben',
  accounts: 'acct',
  subaccounts: 'acct',
  webhooks: 'wh',
  events: 'evt',
  disputes: 'dsp',
  customers: 'cus',
  invoices: 'inv',
  links: 'lnk',
};

/** Query values of the examples, where the schema's first value would say little. */
const QUERY_EXAMPLES: Record<string, unknown> = {
  per_page: 25,
  page: 1,
  search: 'order-1042',
  date_from: '2026-08-01',
  date_to: '2026-08-31',
  amount_min: 1000,
  amount_max: 50_000,
  amount: 25_000,
  country: 'CM',
  currency: 'XAF',
  channel: 'cm.mtn',
  kind: 'payment.succeeded',
  type: 'payment.succeeded',
  status: 'succeeded',
};

/** Returns path, query and header parameters, in this order. */
export function parametersOf(route: Route, schemas: Schemas): (Parameter | Ref)[] {
  const headers = [
    ...(route.idempotent ? ['IdempotencyKey'] : []),
    ...(route.sync ? ['Sync'] : []),
    'ServiceVersion',
    'RequestId',
  ];
  return [
    ...pathParameters(route.path),
    ...queryParameters(route, schemas),
    ...headers.map((name) => ({ $ref: `#/components/parameters/${name}` })),
  ];
}

function pathParameters(path: string): Parameter[] {
  const [, collection = ''] = path.split('/');
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => {
    const prefix = name === 'method' ? 'pm' : (ID_PREFIXES[collection] ?? 'id');
    const channel = collection === 'channels';
    return {
      name,
      in: 'path',
      required: true,
      description: channel ? '`<country>.<operator>`.' : `\`${prefix}_…\`, in the sandbox \`${prefix}_test_…\`.`,
      schema: { type: 'string' },
      example: channel ? 'cm.mtn' : exampleId(prefix),
    };
  });
}

function queryParameters({ query }: Route, schemas: Schemas): Parameter[] {
  if (!query) return [];
  const { properties = {}, required = [] } = plain(query);
  return Object.entries(properties).map(([name, own]) => {
    const { description = '', ...schema } = describe('query', name, own);
    return {
      name,
      in: 'query',
      ...(required.includes(name) ? { required: true } : {}),
      description,
      schema: schemas.of(schema),
      ...example(name, own),
    };
  });
}

function example(name: string, { enum: values }: Schema): { example?: unknown } {
  const known = name === 'payment' ? exampleId('trx') : name === 'beneficiary' ? exampleId('ben') : QUERY_EXAMPLES[name];
  const fits = known !== undefined && (!values || values.includes(known));
  const value = fits ? known : values?.[0];
  return value === undefined ? {} : { example: value };
}
