import { EVENT_TYPES, type EventType } from '../../money/events/catalogue.ts';
import { eventExample, RESOURCES } from './examples/resources.ts';
import { pascal } from './operation-id.ts';
import type { Schemas } from './schemas.ts';
import type { Operation, Parameter, Schema } from './types.ts';

/** First word of an event type and the component of its `data`, where they differ. */
const DATA: Record<string, string> = { webhook: 'WebhookEndpoint' };

const WHAT: Partial<Record<EventType, string>> = {
  'payment.created': 'A payment was created and awaits the payer.',
  'payment.processing': 'A charge was submitted to a provider.',
  'payment.partial': 'A part of the amount was collected; the payment is not complete.',
  'payment.succeeded': 'The whole amount was collected.',
  'payment.failed': 'The payment failed; `data.reason` holds the reason.',
  'payment.cancelled': 'The payer or the merchant cancelled the payment.',
  'payment.expired': 'The payment was not made in time.',
  'payment.refunded': 'The payment was refunded in full.',
  'payment.partially_refunded': 'A part of the payment was refunded.',
  'payment.late_success':
    'Money arrived after the payment was closed. It is returned to the payer; an amount that does not match stays in suspense until it is resolved.',
  'payment.return_required':
    'Money that the payment cannot keep can be returned neither by refund nor by payout; it needs manual resolution.',
  'refund.created': 'A refund was created.',
  'refund.succeeded': 'The payer received the refund.',
  'refund.failed': 'The refund failed; the money is back in your balance.',
  'transfer.created': 'A payout was created.',
  'transfer.succeeded': 'The operator confirmed the credit.',
  'transfer.failed': 'The payout failed; `data.reason` holds the reason.',
  'transfer.cancelled': 'The provider cancelled the payout; the money is back in your balance.',
  'dispute.created': 'A payer disputes a payment; its money is set aside.',
  'dispute.updated': 'Evidence was sent, or the provider reviews the dispute.',
  'dispute.closed': 'The dispute is decided.',
  'link.created': 'A payment link was created.',
  'link.updated': 'The merchant changed a payment link, or it expired. Its payments have their own events.',
  'invoice.created': 'An invoice was drafted.',
  'invoice.sent': 'An invoice was sent to its customer, with its number. Reminders cause no event.',
  'invoice.paid': 'The invoice is paid in full. Each of its payments has its own events.',
  'invoice.overdue': 'The due date has passed, and the invoice is not paid.',
  'invoice.cancelled': 'The invoice was cancelled, or a draft was deleted.',
  'webhook.test': 'Created by POST /webhooks/{id}/test, for that endpoint only.',
};

/** Headers of a delivery. */
export const DELIVERY_HEADERS: Record<string, Parameter> = {
  Signature: header('X-Service-Signature', '`v1=` and the hex HMAC-SHA256 of `<timestamp>.<raw body>` under your secret.', {
    type: 'string',
    pattern: '^v1=[0-9a-f]{64}$',
  }),
  Timestamp: header(
    'X-Service-Timestamp',
    'Unix seconds; part of the signed content. Reject timestamps that differ by more than 300 seconds.',
    {
      type: 'string',
      pattern: '^\\d+$',
    },
  ),
  Event: header('X-Service-Event', 'The type.', { type: 'string' }),
  DeliveryId: header('X-Service-Delivery-Id', '`whd_…`, new for every attempt; the event id stays the same.', { type: 'string' }),
  Sequence: header('X-Service-Sequence', 'Counts the events of one resource from 1, to put them in order.', {
    type: 'string',
    pattern: '^\\d+$',
  }),
};

function header(name: string, description: string, schema: Schema): Parameter {
  return { name, in: 'header', required: true, description, schema };
}

/** Builds one webhook of the document per event type. */
export function webhooksOf(schemas: Schemas): Record<string, { post: Operation }> {
  return Object.fromEntries(EVENT_TYPES.map((type) => [type, { post: webhookOf(type, schemas) }]));
}

/** Returns the component of an event of this type; created on first use. */
function eventShape(type: EventType, schemas: Schemas): Schema {
  const [family = ''] = type.split('.');
  const data = DATA[family] ?? pascal(family);
  if (!schemas.has(data)) return schemas.ref('Event');
  const name = `${pascal(family)}Event`;
  if (!schemas.has(name)) {
    schemas.name(name, {
      description: `An event about a ${family}.`,
      allOf: [schemas.ref('Event'), { type: 'object', properties: { data: schemas.ref(data) } }],
    });
  }
  return schemas.ref(name);
}

function webhookOf(type: EventType, schemas: Schemas): Operation {
  const [family = ''] = type.split('.');
  const example = RESOURCES[(DATA[family] ?? pascal(family)) as keyof typeof RESOURCES];
  return {
    operationId: `on${pascal(type.replaceAll('_', '-'))}`,
    summary: type,
    description: WHAT[type] ?? `The ${family} was ${type.slice(family.length + 1)}.`,
    tags: ['Events'],
    security: [],
    parameters: Object.keys(DELIVERY_HEADERS).map((name) => ({ $ref: `#/components/parameters/Delivery${name}` })),
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: eventShape(type, schemas),
          ...(example ? { examples: { event: { value: eventExample(type, example) } } } : {}),
        },
      },
    },
    responses: {
      '2XX': { description: 'Received. Respond within 10 seconds and process afterwards.' },
      '4XX': {
        description:
          'Not received: it is retried after 30 s, 1 min, 5 min, 10 min and 1 h. The same applies to any other response.',
      },
    },
  };
}
