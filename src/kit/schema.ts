import { type TObject, type TProperties, Type } from 'typebox';

/**
 * Nullable shapes as a list of types instead of a union: one clear message when a value fits neither, and the
 * response serialiser writes them without trying alternatives.
 */
export const nullableText = (options: object = {}) => Type.Unsafe<string | null>({ type: ['string', 'null'], ...options });

export const nullableObject = (options: object = {}) =>
  Type.Unsafe<Record<string, unknown> | null>({ type: ['object', 'null'], additionalProperties: true, ...options });

export const nullableArray = (options: object = {}) =>
  Type.Unsafe<unknown[] | null>({ type: ['array', 'null'], items: {}, ...options });

/** An object that keeps fields it does not name (they are ignored, not refused). */
export const openObject = <T extends TProperties>(properties: T, options: object = {}): TObject<T> =>
  Type.Object(properties, { additionalProperties: true, ...options });

export const moment = Type.String({ description: 'ISO 8601, UTC.' });
