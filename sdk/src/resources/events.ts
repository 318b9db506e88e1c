import type { Call } from '../call.ts';
import type { ListEventsQuery } from '../generated/operations.ts';
import type { PirogueEvent, ResendEventReply } from '../generated/types.ts';
import type { CallOptions, CreateOptions } from '../options.ts';
import { List } from '../pages.ts';

/** Events: what happened. */
export class Events {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /** The event as it was recorded. */
  async retrieve(id: string, options?: CallOptions): Promise<PirogueEvent> {
    return (await this.#call('retrieveEvent', { path: { id } }, options)).event;
  }

  /** Delivers it again to every endpoint that wants it. */
  resend(id: string, options?: CreateOptions): Promise<ResendEventReply> {
    return this.#call('resendEvent', { path: { id } }, options);
  }

  /** Events, newest first. */
  list(query: ListEventsQuery = {}, options?: CallOptions): List<PirogueEvent> {
    return new List((paging) => this.#call('listEvents', { query: { ...query, ...paging } }, options), query);
  }
}
