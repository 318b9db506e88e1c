import type { Call } from '../call.ts';
import type { ListEventsQuery } from '../generated/operations.ts';
import type { ResendEventReply } from '../generated/types.ts';
import type { CallOptions, CreateOptions } from '../options.ts';
import { List } from '../pages.ts';
import type { PirogueEvent } from '../shapes.ts';

/** Events: recorded changes of resources. */
export class Events {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /** Returns the event as it was recorded. */
  async retrieve(id: string, options?: CallOptions): Promise<PirogueEvent> {
    return (await this.#call('retrieveEvent', { path: { id } }, options)).event;
  }

  /** Delivers the event again to every endpoint that subscribes to it. */
  resend(id: string, options?: CreateOptions): Promise<ResendEventReply> {
    return this.#call('resendEvent', { path: { id } }, options);
  }

  /** Returns events, newest first. */
  list(query: ListEventsQuery = {}, options?: CallOptions): List<PirogueEvent> {
    return new List((paging) => this.#call('listEvents', { query: { ...query, ...paging } }, options), query);
  }
}
