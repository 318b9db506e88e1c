import { EVENT_TYPES, type EventType } from '../../money/events/catalogue.ts';
import { eventExample, RESOURCES } from './examples/resources.ts';
import { pascal } from './operation-id.ts';
import type { Schemas } from './schemas.ts';
import type { Operation, Parameter, Schema } from './types.ts';

/** First word of an event type and the component of its `data`, where they differ. */
const DATA: Record<string, string> = { webhook: 'WebhookEndpoint' };

const WHAT: Partial<Record<EventType, string>> = {
  'payment.created': 'A payment was made and waits for the payer.',
  'payment.processing': 'A charge was handed to a provider.',
  'payment.partial': 'A part of the amount was collected: not yet paid.',
  'payment.succeeded': 'The whole amount was collected.',
  'payment.failed': 'The payment failed; `data.reason` tells why.',
  'payment.cancelled': 'The payer or the merchant cancelled.',
  'payment.expired': 'The window closed before it was paid.',
  'payment.refunded': 'All of it was given back.',
  'payment.partially_refunded': 'A part of it was given back.',
  'payment.late_success':
    'Money arrived after the payment was closed. It goes back to the payer; another amount than was asked for waits in suspense until it is resolved.',
  'payment.return_required':
    'Money that the payment cannot keep can go back to the payer neither by refund nor by payout: a person has to return it.',
  'refund.created': 'A refund was made.',
  'refund.succeeded': 'The payer has the money back.',
  'refund.failed': 'The refund failed; the money is in your balance again.',
  'transfer.created': 'A payout was made.',
  'transfer.succeeded': 'The operator confirmed the credit.',
  'transfer.failed': 'The payout failed; `data.reason` tells why.',
  'transfer.cancelled': 'The provider gave it up; the money is in your balance again.',
  'dispute.created': 'A payer disputes a payment: its money is set aside.',
  'dispute.updated': 'Evidence was sent, or the provider is looking at it.',
  'dispute.closed': 'The dispute is decided.',
  'link.created': 'A payment link was made.',
  'link.updated': 'The merchant changed a payment link, or it expired. Payments through it have events of their own.',
  'invoice.created': 'An invoice was drafted.',
  'invoice.sent': 'An invoice left for its customer, with its number. Reminders are not announced.',
  'invoice.paid': 'Nothing is left to pay of the invoice. Each payment of it has events of its own.',
  'invoice.overdue': 'The due date has passed, and the invoice is not paid.',
  'invoice.cancelled': 'No money is asked for any more; or a draft was deleted.',
  'webhook.test': 'Made by POST /webhooks/{id}/test, for that endpoint alone.',
};

/** Headers of a delivery. */
export const DELIVERY_HEADERS: Record<string, Parameter> = {
  Signature: header('X-Service-Signature', '`v1=` and the hex HMAC-SHA256 of `<timestamp>.<raw body>` under your secret.', {
    type: 'string',
    pattern: '^v1=[0-9a-f]{64}$',
  }),
  Timestamp: header('X-Service-Timestamp', 'Unix seconds, part of what is signed. Refuse what is more than 300 seconds off.', {
    type: 'string',
    pattern: '^\\d+$',
  }),
  Event: header('X-Service-Event', 'The type.', { type: 'string' }),
  DeliveryId: header('X-Service-Delivery-Id', '`whd_…`, new for every try, while the event id stays.', { type: 'string' }),
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
      '2XX': { description: 'Received. Answer within 10 seconds and work afterwards.' },
      '4XX': {
        description: 'Not received: it is tried again after 30 s, 1 min, 5 min, 10 min and 1 h. The same for any other answer.',
      },
    },
  };
}
