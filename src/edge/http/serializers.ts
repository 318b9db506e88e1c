import type { FastifyReply } from 'fastify';
import type { Reply, Route } from '../../tenants/api/route.ts';

type Serialize = (payload: unknown) => string;

/**
 * Serializers of the replies of a route, which leave out fields that their schema lacks. They are compiled with its first request,
 * because there are more than any process uses, and a start would wait for all.
 */
export class Serializers {
  readonly #route: Route;
  readonly #fresh: ReadonlyMap<number, Serialize>;
  /** For stored responses; compiled with the first of them. */
  #stored: ReadonlyMap<number, Serialize> | undefined;

  constructor(reply: FastifyReply, route: Route) {
    this.#route = route;
    this.#fresh = compiled(reply, route, (schema) => schema);
  }

  /**
   * Returns the serializer of an answer. A response that an earlier release stored lacks the fields that were added since: it is sent without
   * them, as it was sent first.
   */
  of(reply: FastifyReply, { code, headers = {} }: Reply): Serialize {
    if (!('Idempotent-Replayed' in headers)) return this.#fresh.get(code) ?? JSON.stringify;
    this.#stored ??= compiled(reply, this.#route, withoutRequired);
    return this.#stored.get(code) ?? JSON.stringify;
  }
}

function compiled(reply: FastifyReply, { replies }: Route, as: (schema: unknown) => unknown): ReadonlyMap<number, Serialize> {
  return new Map(
    Object.entries(replies).map(([code, schema]) => {
      return [Number(code), reply.compileSerializationSchema(as(schema) as Record<string, unknown>) as Serialize];
    }),
  );
}

/** Returns a JSON schema in which every property may be absent. */
function withoutRequired(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutRequired);
  if (typeof schema !== 'object' || schema === null) return schema;
  // A property called `required` is a schema, not a list.
  const rest = Object.entries(schema).filter(([name, value]) => name !== 'required' || !Array.isArray(value));
  return Object.fromEntries(rest.map(([name, value]) => [name, withoutRequired(value)]));
}
