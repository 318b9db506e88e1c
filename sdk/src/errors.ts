import type { ErrorReply, PaymentRefused, RateLimited } from './generated/types.ts';

/** Everything this package throws for what happened outside of your program. */
export class PirogueError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** What every failed call says of itself. */
export interface Trace {
  /** The `X-Request-Id` of the answer: quote it when you ask about a call. */
  requestId: string | null;
  /** The key that was sent. Store it: the call can be made again with it later, without doing anything twice. */
  idempotencyKey: string | null;
  /** How often it was tried. */
  attempts: number;
  /** An earlier try failed without a verdict (lost answer or 5xx): it may have been carried out. */
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
 * The endpoint was registered, but the answer with its secret was lost, and a secret is shown only once.
 * Call `webhooks.rotateSecret(error.webhookId)` for a new one.
 */
export class SecretLostError extends PirogueError {
  readonly webhookId: string;

  constructor(webhookId: string) {
    super(`The webhook endpoint ${webhookId} exists, but the answer with its secret was lost: rotate its secret.`);
    this.webhookId = webhookId;
  }
}

/**
 * No answer came: whether the call was carried out is unknown. Make it again with the same `idempotencyKey`, or look.
 */
export class ConnectionError extends CallError {}

/** No answer came within the time allowed. */
export class TimeoutError extends ConnectionError {}

/** The service refused. Branch on the class or on `status`, then on `error_code`; never on `message`. */
export class ApiError extends CallError {
  readonly status: number;
  /** Stable machine code, where there is one. */
  readonly error_code: string | null;
  /** The whole answer; empty when it was not the service that answered. */
  readonly body: Readonly<Record<string, unknown>>;

  constructor(status: number, body: Record<string, unknown>, trace: Trace) {
    const { message, error_code } = body as Partial<ErrorReply>;
    const request = trace.requestId ? ` (request ${trace.requestId})` : '';
    super(`${status} ${message ?? 'without a message'}${request}`, trace);
    this.status = status;
    this.error_code = error_code ?? null;
    this.body = body;
  }
}

/** 400: malformed, an unsupported version, or the resource is in the wrong state. */
export class BadRequestError extends ApiError {}

/** 401: the key is absent, unknown, revoked, inactive or expired. */
export class AuthenticationError extends ApiError {}

/** 402: the payer's money did not move, or (`merchant_not_verified`) your team may not take live payments yet. */
export class PaymentDeclinedError extends ApiError {
  declare readonly error_code: PaymentRefused['error_code'] | null;

  /** Text to show the payer as it is. */
  get payer_message(): string {
    return (this.body as Partial<PaymentRefused>).payer_message ?? '';
  }
}

/** 403: the scope is missing, the address is not allowed, a secret key came from a browser, or the feature is live only. */
export class PermissionError extends ApiError {}

/** 404: there is no such thing for this team and environment. */
export class NotFoundError extends ApiError {}

/** 406: this takes a secret or restricted key. */
export class PrivateKeyRequiredError extends ApiError {}

/** 422 and 409: fields were rejected. */
export class ValidationError extends ApiError {
  /** What is wrong with each rejected field, by its dotted path such as `customer.email`. */
  get errors(): Readonly<Record<string, readonly string[]>> {
    return (this.body.errors ?? {}) as Record<string, string[]>;
  }
}

/** 409: the reference is already that of another payment. */
export class ConflictError extends ValidationError {}

/** 422 about the Idempotency-Key: it is malformed, or was used with another payload. */
export class IdempotencyError extends ValidationError {}

/** 429: too many calls, and waiting was not possible within the deadline. */
export class RateLimitError extends ApiError {
  /** Seconds until it makes sense to try again. */
  get retry_after(): number {
    return (this.body as Partial<RateLimited>).retry_after ?? 0;
  }

  /** Which limit tripped; null for payout writes. */
  get type(): RateLimited['type'] | null {
    return (this.body as Partial<RateLimited>).type ?? null;
  }
}

/** 5xx: the service failed. */
export class ServerError extends ApiError {}

/** 502: no payment provider took it. */
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

/** The error that an answer other than 2xx stands for. */
export function apiError(status: number, body: Record<string, unknown>, trace: Trace): ApiError {
  const errors = body.errors as Record<string, unknown> | undefined;
  if (status === 422 && errors?.idempotency_key) return new IdempotencyError(status, body, trace);
  const Class = CLASSES[status] ?? (status >= 500 ? ServerError : ApiError);
  return new Class(status, body, trace);
}

/**
 * The decline of a charge whose own answer was lost, from the payment it ended.
 * The text for the payer was in that answer: `payer_message` is empty.
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
