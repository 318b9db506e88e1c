import type { Command } from 'commander';
import { isId } from '../../../kit/ids.ts';
import { type Api, openApi } from '../api.ts';
import type { ApiOptions } from '../api-options.ts';
import { Failure } from '../failure.ts';
import { accepted, forward } from '../listen/forward.ts';
import { listeningSecret } from '../listen/secret.ts';
import { details, print, table } from '../output.ts';

interface Output extends ApiOptions {
  json?: true;
}

interface ListedEvent {
  id: string;
  event: string;
  created: string;
  pending_webhooks: number;
  data: { id?: string };
}

/** `pirogue events list` */
export async function listEventsCommand(options: Output & { type?: string; limit: number }): Promise<void> {
  const { type, limit } = options;
  const query = new URLSearchParams({ per_page: String(limit), cursor: '', ...(type ? { type } : {}) });
  const { items } = (await openApi(options).call('GET', `/events?${query}`)).body as { items: ListedEvent[] };
  print(options.json, items, () =>
    table(
      ['ID', 'TYPE', 'RESOURCE', 'ENDPOINTS', 'CREATED'],
      items.map(({ id, event, data, pending_webhooks, created }) => [
        id,
        event,
        data.id ?? '',
        String(pending_webhooks),
        created,
      ]),
    ),
  );
}

/** `pirogue events resend evt_test_…` */
export async function resendCommand(id: string, options: Output & { forwardTo?: string }, command: Command): Promise<void> {
  if (!isId('evt', 'sandbox', id)) command.error(`error: this is not the id of a sandbox event (evt_test_…)`);
  const api = openApi(options);
  if (options.forwardTo) return forwardAgain(api, id, options.forwardTo, options.json);
  const { event, deliveries } = (await api.call('POST', `/events/${id}/resend`)).body;
  print(options.json, { event: id, type: event.event, deliveries }, () =>
    deliveries === 0
      ? `no active endpoint subscribes to ${event.event}: register one with POST /webhooks, or use --forward-to`
      : `${event.event} ${id} is queued again for ${deliveries} endpoint${deliveries === 1 ? '' : 's'}`,
  );
}

async function forwardAgain(api: Api, id: string, address: string, json: true | undefined): Promise<void> {
  const { headers, body } = await api.call('GET', `/events/${id}`);
  const { event, created } = body.event;
  const sequence = Number(headers['x-service-sequence']);
  const result = await forward(address, listeningSecret(api.key), { id, type: event, created, sequence, body: body.event });
  if (!accepted(result))
    throw new Failure(
      `${address} did not accept it: ${result.status ?? result.error}`,
      'Start your server and make it return 2xx.',
    );
  print(json, { event: id, type: event, ...result }, () => details({ event: id, type: event, answer: String(result.status) }));
}
