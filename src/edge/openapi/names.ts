import type { TSchema } from 'typebox';
import { BUCKETS, balanceReply } from '../../core/balance/schema.ts';
import { disputeShape } from '../../core/disputes/schema.ts';
import { EVENT_TYPES } from '../../money/events/catalogue.ts';
import { invoiceReply } from '../invoices/schema.ts';
import { warnings } from '../../kit/envelope.ts';
import { CURRENCIES } from '../../kit/money.ts';
import { listMeta } from '../../kit/paging.ts';
import { linkReply } from '../links/schema.ts';
import { createdPayment, createPaymentBody, listedPayment, retrievedPayment } from '../../core/payments/schema.ts';
import { replies as reference } from '../../providers/reference/schema.ts';
import { createRefundBody, refundShape } from '../../core/refunds/schema.ts';
import { transferReply } from '../../core/transfers/schema.ts';
import { endpointReply, endpointWithSecretReply } from '../../money/webhooks/schema.ts';
import type { Route } from '../../tenants/api/route.ts';
import { operationIdOf, pascal } from './operation-id.ts';
import { OWN_SHAPES } from './shapes.ts';
import { plain, type Schemas } from './schemas.ts';
import type { Schema } from './types.ts';

const ENVELOPE = new Set(['code', 'status', 'message', 'warnings']);

/** Type names for client libraries that differ from the word on the wire. */
const RESOURCE_NAMES: Record<string, string> = { transaction: 'Payment', webhook: 'WebhookEndpoint' };

const [offsetMeta, cursorMeta] = listMeta.anyOf;

/** Shapes that would get no name, or a worse one, by the rules of {@link nameShapes}. */
const NAMED: Record<string, TSchema | Schema> = {
  Warnings: warnings,
  Warning: within(warnings, 'items'),
  Payment: retrievedPayment,
  ListedPayment: listedPayment,
  CreatedPayment: createdPayment,
  Attempt: within(retrievedPayment, 'attempts', 'items'),
  Item: within(createPaymentBody, 'items', 'items'),
  WebhookEndpoint: endpointReply,
  WebhookEndpointWithSecret: endpointWithSecretReply,
  Balance: within(balanceReply, 'balance'),
  ListMeta: listMeta,
  OffsetMeta: offsetMeta,
  CursorMeta: cursorMeta,
  OnePageMeta: within(reference.countries, 'meta'),
  ChannelLimits: within(reference.channel, 'channel', 'currencies', 'items'),
  Country: within(reference.countries, 'items', 'items'),
  CurrencyEntry: within(reference.currencies, 'items', 'items'),
  Bank: within(reference.banks, 'items', 'items'),
  Currency: { enum: CURRENCIES, description: 'ISO 4217.' },
  PaymentStatus: within(retrievedPayment, 'status'),
  RefundStatus: within(refundShape, 'status'),
  RefundReason: within(createRefundBody, 'reason'),
  TransferStatus: within(transferReply, 'status'),
  DisputeStatus: within(disputeShape, 'status'),
  InvoiceStatus: within(invoiceReply, 'status'),
  InvoiceLine: within(invoiceReply, 'items', 'items'),
  LinkStatus: within(linkReply, 'status'),
  EventType: { enum: [...EVENT_TYPES] },
  Bucket: { enum: [...BUCKETS] },
};

/**
 * Names every shape of the document: first those of `NAMED`, then, per route, each resource after its key, and each body and
 * reply after its operation. A new slice needs an entry only when two of its shapes collide.
 */
export function nameShapes(schemas: Schemas, routes: readonly Route[]): void {
  for (const [name, shape] of Object.entries({ ...OWN_SHAPES, ...NAMED })) schemas.name(name, shape);
  // Single resources first: the key of a resource is a better name than the path of its list.
  for (const listed of [false, true]) {
    for (const route of routes) {
      for (const reply of Object.values(route.replies)) nameResources(schemas, plain(reply), route, listed);
    }
  }
  for (const route of routes) {
    const operation = pascal(operationIdOf(route));
    if (route.body) schemas.name(`${operation}Body`, route.body);
    for (const reply of Object.values(route.replies)) schemas.name(replyName(schemas, plain(reply), operation), reply);
  }
}

function nameResources(schemas: Schemas, reply: Schema, route: Route, listed: boolean): void {
  for (const [field, shape] of resources(reply).filter(([name]) => (name === 'items') === listed)) {
    const item = listed ? shape.items : shape;
    if (!item?.properties || schemas.nameOf(item)) continue;
    const name = listed ? itemName(route) : resourceName(field);
    schemas.name(schemas.has(name) ? `${pascal(operationIdOf(route))}${name}` : name, item);
  }
}

function resources(reply: Schema): [string, Schema][] {
  return Object.entries(reply.properties ?? {}).filter(([field]) => !ENVELOPE.has(field) && field !== 'meta');
}

function resourceName(field: string): string {
  return RESOURCE_NAMES[field] ?? pascal(field);
}

/** Returns the name of a list's items: `listWebhookDeliveries` returns items named WebhookDelivery. */
function itemName(route: Route): string {
  return pascal(operationIdOf(route).replace(/^list/, '')).replace(/ies$/, 'y').replace(/s$/, '');
}

/** Returns the name of a reply: `PaymentReply`, `PaymentList`; named after the operation when it returns several resources. */
function replyName(schemas: Schemas, reply: Schema, operation: string): string {
  const [first, ...others] = resources(reply);
  const [field, shape] = first ?? [];
  const name =
    field && shape && others.length === 0 ? schemas.nameOf(field === 'items' ? (shape.items ?? {}) : shape) : undefined;
  const chosen = name === undefined ? `${operation}Reply` : field === 'items' ? `${name}List` : `${name}Reply`;
  return schemas.has(chosen) ? `${operation}Reply` : chosen;
}

/** Returns the shape at a path inside another shape. */
function within(schema: TSchema | Schema, ...steps: string[]): Schema {
  return steps.reduce<Schema>((shape, step) => {
    const found = step === 'items' && shape.type === 'array' ? shape.items : shape.properties?.[step];
    if (!found) throw new Error(`impossible: a shape has no ${step}`);
    return found;
  }, plain(schema));
}
