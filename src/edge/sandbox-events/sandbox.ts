/** Input of an operation of the API. */
export interface SandboxCall {
  params?: Record<string, string>;
  query?: Record<string, string | number>;
  body?: object;
}

/** One team's sandbox, as a merchant's server sees it, with actions that only an operator or a provider can take. */
export interface Sandbox {
  /** Letters and digits for values that must be unique. They are the same each time one event is triggered again. */
  readonly unique: string;
  /**
   * Calls an operation of the API such as `POST /payments/:id`.
   * @returns the body of the response
   * @throws Error with the HTTP status as `status` for everything but a success
   */
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what the operation's schema promises
  call(operation: string, sent?: SandboxCall): Promise<any>;
  /** Advances the clock of one payment beyond its expiry, which is five minutes ahead. */
  expire(payment_id: string): Promise<void>;
  /**
   * Opens a dispute of a payment, as its provider would.
   * @returns the id of the dispute
   */
  dispute(payment_id: string): Promise<string>;
}

/** An event was not triggered, for a reason that the person can change. */
export class NotTriggered extends Error {
  readonly reason: 'no_endpoint' | 'not_arrived';

  constructor(reason: 'no_endpoint' | 'not_arrived', message: string) {
    super(message);
    this.reason = reason;
  }
}
