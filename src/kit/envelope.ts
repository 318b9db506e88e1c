import { STATUS_CODES } from 'node:http';
import { type TProperties, Type } from 'typebox';

/** Returns the HTTP reason phrase of a status code: the `status` field of every response body (docs/contract/envelope.md). */
export function reasonPhrase(code: number): string {
  return STATUS_CODES[code] ?? 'Unknown';
}

/** Builds a success body: `code`, `status`, `message`, then the resource under its singular name. */
export function envelope<T extends object>(code: number, message: string, rest: T) {
  return { code, status: reasonPhrase(code), message, ...rest };
}

/** Schema of {@link envelope}: type, response filter and documentation in one. */
export function envelopeSchema<T extends TProperties>(properties: T) {
  return Type.Object({
    code: Type.Integer(),
    status: Type.String({ description: 'HTTP reason phrase of `code`.' }),
    message: Type.String({ description: 'For logs; never branch on it.' }),
    ...properties,
  });
}
