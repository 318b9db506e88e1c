import { type TObject, type TProperties, Type } from 'typebox';

/**
 * Schema of a nullable text. Nullable shapes are a list of types instead of a union: a value that fits neither gets one clear message,
 * and the response serialiser does not have to try alternatives.
 */
export const nullableText = (options: object = {}) => Type.Unsafe<string | null>({ type: ['string', 'null'], ...options });

/** Schema of a nullable object with any fields, see {@link nullableText}. */
export const nullableObject = (options: object = {}) =>
  Type.Unsafe<Record<string, unknown> | null>({ type: ['object', 'null'], additionalProperties: true, ...options });

/** Schema of a nullable list of any items, see {@link nullableText}. */
export const nullableArray = (options: object = {}) =>
  Type.Unsafe<unknown[] | null>({ type: ['array', 'null'], items: {}, ...options });

/** Object schema that ignores unknown fields instead of rejecting them. */
export const openObject = <T extends TProperties>(properties: T, options: object = {}): TObject<T> =>
  Type.Object(properties, { additionalProperties: true, ...options });

/**
 * Object schema whose unknown fields are stored as they were sent. The schema of other fields allows any value: that is the same as
 * `true` to a validator, and tells these objects apart from {@link openObject}.
 */
export const keepingObject = <T extends TProperties>(properties: T, options: object = {}): TObject<T> =>
  Type.Object(properties, { additionalProperties: {}, ...options });

export const moment = Type.String({ description: 'ISO 8601, UTC.' });
