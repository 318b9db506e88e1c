import { STATUS_CODES } from 'node:http';
import { type Static, type TProperties, Type } from 'typebox';

/** Returns the HTTP reason phrase of a status code: the `status` field of every response body (docs/contract/envelope.md). */
export function reasonPhrase(code: number): string {
  return STATUS_CODES[code] ?? 'Unknown';
}

const warning = Type.Object({
  field: Type.String({ description: 'Dotted path in the request.' }),
  message: Type.String({ description: 'For developers; never branch on it.' }),
});

/** A warning about one field of an accepted request. */
export type Warning = Static<typeof warning>;

export const warnings = Type.Array(warning, {
  description: 'Fields of the request that were ignored, or will fail later. Absent when there are none.',
});

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
    warnings: Type.Optional(warnings),
    ...properties,
  });
}
