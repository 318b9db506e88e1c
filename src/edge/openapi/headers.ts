import { versions } from '../../tenants/versions/registry.ts';
import type { Header, Parameter, Ref } from './types.ts';

/** Response headers. */
export const HEADERS: Record<string, Header> = {
  'X-Request-Id': {
    description: 'The id you sent, or a generated one. Quote it when you contact support.',
    required: true,
    schema: { type: 'string', maxLength: 64 },
  },
  'X-Trace-Id': {
    description: 'Trace id, in W3C form.',
    required: true,
    schema: { type: 'string', pattern: '^[0-9a-f]{32}$' },
  },
  traceparent: {
    description: 'W3C trace context: our span in your trace.',
    required: true,
    schema: { type: 'string', pattern: '^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$' },
  },
  'X-Service-Version': {
    description: 'API version of the response.',
    schema: { type: 'string', format: 'date' },
  },
  'X-RateLimit-Limit': {
    description: "The team's limit in this window of 60 seconds. Absent on a plan without one.",
    schema: { type: 'integer' },
  },
  'X-RateLimit-Remaining': {
    description: 'Requests left in the window. Limits of the key, the address and the endpoint are not shown.',
    schema: { type: 'integer' },
  },
  'X-RateLimit-Reset': { description: 'Start of the next window; Unix seconds.', schema: { type: 'integer' } },
  'Idempotent-Replayed': {
    description: 'The response of an earlier request with the same Idempotency-Key; nothing was executed again.',
    schema: { enum: ['true'] },
  },
  'Retry-After': { description: 'Seconds to wait.', required: true, schema: { type: 'integer', minimum: 0 } },
  RetryAfterOutage: {
    description: 'Seconds to wait: the service could not reach its database.',
    schema: { type: 'integer', minimum: 0 },
  },
};

const ALWAYS = ['X-Request-Id', 'X-Trace-Id', 'traceparent'];
const RATE = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];

/** Returns the headers that a response with this status can have. */
export function headersOf(status: number, replayable = false): Record<string, Ref> {
  const names = [
    ...ALWAYS,
    'X-Service-Version',
    ...(status === 401 ? [] : RATE),
    ...(replayable ? ['Idempotent-Replayed'] : []),
    ...(status === 429 ? ['Retry-After'] : []),
  ];
  const refs = Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
  return status === 500 ? { ...refs, 'Retry-After': { $ref: '#/components/headers/RetryAfterOutage' } } : refs;
}

/** Request headers, by component name. */
export const HEADER_PARAMETERS: Record<string, Parameter> = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'One for each operation. Within 24 hours, the same key with the same payload returns the first response again ' +
      'instead of executing it twice; another payload returns 422. Only a successful request consumes the key.',
    schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
    example: 'order-1042-first-try',
  },
  Sync: {
    name: 'X-Sync',
    in: 'header',
    description: 'Id of the connected account.',
    schema: { type: 'string' },
    example: 'acct_test_01kvcy2q80a1b2c3d4e5f6g7h8',
  },
  ServiceVersion: {
    name: 'X-Service-Version',
    in: 'header',
    description: "API version of your client. Default: your team's.",
    schema: { type: 'string', enum: versions.all },
    example: versions.newest,
  },
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    description: 'Your id for the request, returned when it is 1 to 64 visible ASCII characters without a card number or key.',
    schema: { type: 'string', maxLength: 64 },
    example: 'web-7f3a91',
  },
};
