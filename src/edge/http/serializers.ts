import type { FastifyReply } from 'fastify';
import type { Log } from '../../kit/log.ts';
import type { Reply, Route } from '../../tenants/api/route.ts';

type Serialize = (payload: unknown) => string;

/**
 * Serializers of the replies of a route, which leave out fields that their schema lacks. They are compiled with its first request,
 * because a process uses only some of them and its start would wait for all.
 */
export class Serializers {
  readonly #route: Route;
  readonly #log: Log;
  readonly #fresh: ReadonlyMap<number, Serialize>;
  /** For stored responses that lack required fields; compiled with the first of them. */
  #stored: ReadonlyMap<number, Serialize> | undefined;

  constructor(reply: FastifyReply, route: Route, log: Log) {
    this.#route = route;
    this.#log = log;
    this.#fresh = compiled(reply, route, (schema) => schema);
  }

  /** Returns the serializer of an answer. A stored response is sent with the same bytes, unless the schema has changed since. */
  of(reply: FastifyReply, { code, headers = {} }: Reply): Serialize {
    const fresh = this.#fresh.get(code) ?? JSON.stringify;
    if (!('Idempotent-Replayed' in headers)) return fresh;
    return (payload) => {
      try {
        return fresh(payload);
      } catch {
        return this.#older(reply, code)(payload);
      }
    };
  }

  /** Returns the serializer for a response of an earlier release. It is sent without fields that were added since, or unchanged. */
  #older(reply: FastifyReply, code: number): Serialize {
    if (!this.#stored) {
      // The error is not logged, because it may quote the response.
      const { method, path } = this.#route;
      this.#log.warn({ route: `${method} ${path}` }, 'a stored response lacks what this release requires: it is sent as it is');
      this.#stored = compiled(reply, this.#route, withoutRequired);
    }
    const lenient = this.#stored.get(code) ?? JSON.stringify;
    return (payload) => {
      try {
        return lenient(payload);
      } catch {
        return JSON.stringify(payload); // a field has another type now
      }
    };
  }
}

function compiled(reply: FastifyReply, { replies }: Route, as: (schema: unknown) => unknown): ReadonlyMap<number, Serialize> {
  return new Map(
    Object.entries(replies).map(([code, schema]) => {
      return [Number(code), reply.compileSerializationSchema(as(schema) as Record<string, unknown>) as Serialize];
    }),
  );
}

/** Returns a JSON schema in which every property may be absent. Serializers write required properties first, so these stay first. */
function withoutRequired(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutRequired);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { required, properties, ...rest } = schema as Record<string, unknown>;
  // Properties may be named `required` or `properties`. These are schemas of a property, not keywords.
  const isKeywords = Array.isArray(required) && typeof properties === 'object' && properties !== null;
  const entries = isKeywords
    ? Object.entries({ ...rest, properties: requiredFirst(properties as object, required) })
    : Object.entries(schema);
  return Object.fromEntries(entries.map(([name, value]) => [name, withoutRequired(value)]));
}

function requiredFirst(properties: object, required: readonly unknown[]): Record<string, unknown> {
  const isOptional = ([name]: [string, unknown]) => Number(!required.includes(name));
  return Object.fromEntries(Object.entries(properties).toSorted((a, b) => isOptional(a) - isOptional(b)));
}
