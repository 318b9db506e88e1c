import type { Call } from '../call.ts';
import type { ListWebhookDeliveriesQuery, ListWebhooksQuery } from '../generated/operations.ts';
import type {
  CreateWebhookBody,
  UpdateWebhookBody,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookEndpointWithSecret,
} from '../generated/types.ts';
import type { CallOptions, CreateOptions } from '../options.ts';
import { List } from '../pages.ts';
import type { PirogueEvent } from '../shapes.ts';
import { SecretLostError } from '../errors.ts';
import { type Deleted, deleted } from '../lost-answer.ts';
import { verifyWebhook } from '../verify.ts';

/** Webhook endpoints, and the verification of deliveries. */
export class Webhooks {
  readonly #call: Call;
  /** {@link verifyWebhook}, which needs no key and can also be imported separately. */
  readonly verify: typeof verifyWebhook = verifyWebhook;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * Registers an https URL. Its `secret` is returned only this once.
   * @throws SecretLostError when the endpoint was created but the answer with its secret was lost
   */
  async create(body: CreateWebhookBody, options?: CreateOptions): Promise<WebhookEndpointWithSecret> {
    const { webhook } = await this.#call('createWebhook', { body }, options);
    // A replayed answer has no secret, because the service stores none that it could return again.
    if (typeof (webhook as Partial<WebhookEndpointWithSecret>).secret !== 'string') throw new SecretLostError(webhook.id);
    return webhook;
  }

  /** Returns the endpoint in its current state. */
  async retrieve(id: string, options?: CallOptions): Promise<WebhookEndpoint> {
    return (await this.#call('retrieveWebhook', { path: { id } }, options)).webhook;
  }

  /** Changes the given fields. */
  async update(id: string, body: UpdateWebhookBody, options?: CallOptions): Promise<WebhookEndpoint> {
    return (await this.#call('updateWebhook', { path: { id }, body }, options)).webhook;
  }

  /** Replaces all fields. Absent fields are reset to their default. */
  async replace(id: string, body: CreateWebhookBody, options?: CallOptions): Promise<WebhookEndpoint> {
    return (await this.#call('replaceWebhook', { path: { id }, body }, options)).webhook;
  }

  /** Deletes the endpoint: it receives no further deliveries. */
  delete(id: string, options?: CallOptions): Promise<Deleted> {
    return deleted(id, async () => (await this.#call('deleteWebhook', { path: { id } }, options)).webhook);
  }

  /** Creates a new secret, returned only this once. It takes effect at once, also for waiting deliveries. */
  async rotateSecret(id: string, options?: CallOptions): Promise<WebhookEndpointWithSecret> {
    return (await this.#call('rotateWebhookSecret', { path: { id } }, options)).webhook;
  }

  /** Delivers a `webhook.test` event to the endpoint. */
  async test(id: string, options?: CreateOptions): Promise<PirogueEvent> {
    return (await this.#call('testWebhook', { path: { id } }, options)).event;
  }

  /** Returns endpoints, newest first. */
  list(query: ListWebhooksQuery = {}, options?: CallOptions): List<WebhookEndpoint> {
    return new List((paging) => this.#call('listWebhooks', { query: { ...query, ...paging } }, options), query);
  }

  /** Returns every delivery attempt to one endpoint. */
  deliveries(id: string, query: ListWebhookDeliveriesQuery = {}, options?: CallOptions): List<WebhookDelivery> {
    return new List(
      (paging) => this.#call('listWebhookDeliveries', { path: { id }, query: { ...query, ...paging } }, options),
      query,
    );
  }
}
