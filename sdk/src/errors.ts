import type { ErrorReply, PaymentRefused, RateLimited } from './generated/types.ts';

/** Base class of the errors of this package, other than programming errors (TypeError). */
export class PirogueError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** Details of a failed call. */
export interface Trace {
  /** The `X-Request-Id` of the answer. Quote it in support requests. */
  requestId: string | null;
  /** The idempotency key that was sent. Store it: a later call with the same key cannot take effect twice. */
  idempotencyKey: string | null;
  /** Number of attempts. */
  attempts: number;
  /** An attempt ended without a result (lost answer or 5xx), so it may have been carried out. */
  uncertain: boolean;
}

/** A call that did not succeed. */
export class CallError extends PirogueError implements Trace {
  readonly requestId: string | null;
  readonly idempotencyKey: string | null;
  readonly attempts: number;
  readonly uncertain: boolean;

  constructor(message: string, { requestId, idempotencyKey, attempts, uncertain }: Trace, options?: ErrorOptions) {
    super(message, options);
    this.requestId = requestId;
    this.idempotencyKey = idempotencyKey;
    this.attempts = attempts;
    this.uncertain = uncertain;
  }
}

/**
 * The endpoint was registered, but the answer with its secret was lost. A secret is shown only once: call
 * `webhooks.rotateSecret(error.webhookId)` for a new one.
 */
export class SecretLostError extends PirogueError {
  readonly webhookId: string;

  constructor(webhookId: string) {
    super(`The webhook endpoint ${webhookId} exists, but the answer with its secret was lost: rotate its secret.`);
    this.webhookId = webhookId;
  }
}

/**
 * No answer arrived, so it is unknown whether the call was carried out. Repeat it with the same `idempotencyKey`, or retrieve
 * the resource.
 */
export class ConnectionError extends CallError {}

/** No answer arrived within the timeout. */
export class TimeoutError extends ConnectionError {}

/** The service rejected the call. Branch on the class or on `status`, then on `error_code`; never on `message`. */
export class ApiError extends CallError {
  readonly status: number;
  /** Stable error code, where there is one. */
  readonly error_code: string | null;
  /** What you can do, in one sentence; null where the service has no advice. For developers: never branch on it. */
  readonly hint: string | null;
  /** The whole answer; empty when it did not come from the service. */
  readonly body: Readonly<Record<string, unknown>>;

  constructor(status: number, body: Record<string, unknown>, trace: Trace) {
    const { message, error_code, hint } = body as Partial<ErrorReply>;
    const request = trace.requestId ? ` (request ${trace.requestId})` : '';
    super(`${status} ${message ?? 'without a message'}${request}`, trace);
    this.status = status;
    this.error_code = error_code ?? null;
    this.hint = hint ?? null;
    this.body = body;
  }
}

/** 400: malformed, an unsupported version, or the resource is in the wrong state. */
export class BadRequestError extends ApiError {}

/** 401: the key is absent, unknown, revoked, inactive or expired. */
export class AuthenticationError extends ApiError {}

/** 402: the payer was not charged, or (`merchant_not_verified`) your team cannot take live payments yet. */
export class PaymentDeclinedError extends ApiError {
  declare readonly error_code: PaymentRefused['error_code'] | null;

  /** Text to show to the payer unchanged. */
  get payer_message(): string {
    return (this.body as Partial<PaymentRefused>).payer_message ?? '';
  }
}

/**
 * 403: the scope is missing, the IP address is not allowed, a secret key came from a browser, or the feature is live only.
 */
export class PermissionError extends ApiError {}

/** 404: the resource does not exist for this team and environment. */
export class NotFoundError extends ApiError {}

/** 406: the operation requires a secret or restricted key. */
export class PrivateKeyRequiredError extends ApiError {}

/** 422 and 409: fields were rejected. */
export class ValidationError extends ApiError {
  /** Errors of each rejected field, by its dotted path such as `customer.email`. */
  get errors(): Readonly<Record<string, readonly string[]>> {
    return (this.body.errors ?? {}) as Record<string, string[]>;
  }
}

/** 409: another payment already has the reference, or the payment's link has no use left (`error_code` is `link_full` or `link_used`). */
export class ConflictError extends ValidationError {}

/** 422 for the Idempotency-Key: it looks like a card number, or was used with another payload. */
export class IdempotencyError extends ValidationError {}

/** 429: too many calls, and the deadline did not allow waiting. */
export class RateLimitError extends ApiError {
  /** Seconds until the next attempt is allowed. */
  get retry_after(): number {
    return (this.body as Partial<RateLimited>).retry_after ?? 0;
  }

  /** Which limit was exceeded; null for payout writes. */
  get type(): RateLimited['type'] | null {
    return (this.body as Partial<RateLimited>).type ?? null;
  }
}

/** 5xx: the service failed. */
export class ServerError extends ApiError {}

/** 502: no payment provider accepted the request. */
export class ProviderError extends ServerError {}

const CLASSES: Record<number, typeof ApiError> = {
  400: BadRequestError,
  401: AuthenticationError,
  402: PaymentDeclinedError,
  403: PermissionError,
  404: NotFoundError,
  406: PrivateKeyRequiredError,
  409: ConflictError,
  422: ValidationError,
  429: RateLimitError,
  502: ProviderError,
};

/** Returns the error for an answer other than 2xx. */
export function apiError(status: number, body: Record<string, unknown>, trace: Trace): ApiError {
  const errors = body.errors as Record<string, unknown> | undefined;
  if (status === 422 && errors?.idempotency_key) return new IdempotencyError(status, body, trace);
  const Class = CLASSES[status] ?? (status >= 500 ? ServerError : ApiError);
  return new Class(status, body, trace);
}

/**
 * Returns the error for a declined charge whose answer was lost, from the failed payment.
 * `payer_message` is empty, because the text was only in the lost answer.
 */
export function declined(
  payment: { reason?: string | null; message?: string | null },
  { requestId, ...trace }: Trace,
): PaymentDeclinedError {
  const body = {
    code: 402,
    status: 'Payment Required',
    message: payment.message ?? 'Declined',
    error_code: payment.reason ?? null,
  };
  return new PaymentDeclinedError(402, body, { ...trace, requestId });
}
