import type { Call } from '../call.ts';
import type { ListWebhookDeliveriesQuery, ListWebhooksQuery } from '../generated/operations.ts';
import type {
  CreateWebhookBody,
  PirogueEvent,
  UpdateWebhookBody,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookEndpointWithSecret,
} from '../generated/types.ts';
import type { CallOptions, CreateOptions } from '../options.ts';
import { List } from '../pages.ts';
import { SecretLostError } from '../errors.ts';
import { type Deleted, deleted } from '../lost-answer.ts';
import { verifyWebhook } from '../verify.ts';

/** Webhook endpoints, and the check of what they receive. */
export class Webhooks {
  readonly #call: Call;
  /** {@link verifyWebhook}, which needs no key and can be imported by itself. */
  readonly verify: typeof verifyWebhook = verifyWebhook;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * Registers an https address. Its `secret` is shown this once.
   * @throws SecretLostError when the endpoint was made but the answer with its secret was lost
   */
  async create(body: CreateWebhookBody, options?: CreateOptions): Promise<WebhookEndpointWithSecret> {
    const { webhook } = await this.#call('createWebhook', { body }, options);
    // A replayed answer has no secret: the service keeps none that it could show again.
    if (typeof (webhook as Partial<WebhookEndpointWithSecret>).secret !== 'string') throw new SecretLostError(webhook.id);
    return webhook;
  }

  /** The endpoint as it is now. */
  async retrieve(id: string, options?: CallOptions): Promise<WebhookEndpoint> {
    return (await this.#call('retrieveWebhook', { path: { id } }, options)).webhook;
  }

  /** Changes the fields given. */
  async update(id: string, body: UpdateWebhookBody, options?: CallOptions): Promise<WebhookEndpoint> {
    return (await this.#call('updateWebhook', { path: { id }, body }, options)).webhook;
  }

  /** Changes all fields; what is left out gets its default. */
  async replace(id: string, body: CreateWebhookBody, options?: CallOptions): Promise<WebhookEndpoint> {
    return (await this.#call('replaceWebhook', { path: { id }, body }, options)).webhook;
  }

  /** Nothing more is delivered to it. */
  delete(id: string, options?: CallOptions): Promise<Deleted> {
    return deleted(id, async () => (await this.#call('deleteWebhook', { path: { id } }, options)).webhook);
  }

  /** A new secret, shown this once. It holds at once, also for deliveries that are waiting. */
  async rotateSecret(id: string, options?: CallOptions): Promise<WebhookEndpointWithSecret> {
    return (await this.#call('rotateWebhookSecret', { path: { id } }, options)).webhook;
  }

  /** Delivers a `webhook.test` event to it. */
  async test(id: string, options?: CreateOptions): Promise<PirogueEvent> {
    return (await this.#call('testWebhook', { path: { id } }, options)).event;
  }

  /** Endpoints, newest first. */
  list(query: ListWebhooksQuery = {}, options?: CallOptions): List<WebhookEndpoint> {
    return new List((paging) => this.#call('listWebhooks', { query: { ...query, ...paging } }, options), query);
  }

  /** Every try to deliver to one endpoint. */
  deliveries(id: string, query: ListWebhookDeliveriesQuery = {}, options?: CallOptions): List<WebhookDelivery> {
    return new List(
      (paging) => this.#call('listWebhookDeliveries', { path: { id }, query: { ...query, ...paging } }, options),
      query,
    );
  }
}
