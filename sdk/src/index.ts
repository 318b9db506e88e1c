export { Pirogue } from './client.ts';
export {
  ApiError,
  AuthenticationError,
  BadRequestError,
  CallError,
  ConflictError,
  ConnectionError,
  IdempotencyError,
  NotFoundError,
  PaymentDeclinedError,
  PermissionError,
  PirogueError,
  PrivateKeyRequiredError,
  ProviderError,
  RateLimitError,
  SecretLostError,
  ServerError,
  TimeoutError,
  ValidationError,
} from './errors.ts';
export { API_VERSION } from './generated/operations.ts';
export type * from './generated/operations.ts';
export type * from './generated/types.ts';
export type * from './shapes.ts';
export type { AccountOptions, CallOptions, CreateOptions, PirogueOptions, WarnedCall } from './options.ts';
export type { Deleted } from './lost-answer.ts';
export type { List, Page } from './pages.ts';
export {
  type DeliveryHeaders,
  type VerificationFault,
  type VerifyOptions,
  verifyWebhook,
  WebhookVerificationError,
} from './verify.ts';
