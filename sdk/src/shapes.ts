import type { components, operations, webhooks } from './generated/openapi.ts';
import type { OPERATIONS } from './generated/operations.ts';

type Event = components['schemas']['Event'];

/** A shape of the OpenAPI document, by its name there. */
export type Shape<N extends keyof components['schemas']> = WithEvents<components['schemas'][N]>;

/** A reply whose events narrow by `event`; anything else as it is. */
type WithEvents<S> = S extends { event: Event }
  ? Omit<S, 'event'> & { event: PirogueEvent }
  : S extends { items: Event[] }
    ? Omit<S, 'items'> & { items: PirogueEvent[] }
    : S;

/** What is sent: optional fields may also be `undefined`, which JSON leaves out. */
export type Sent<T> = T extends readonly (infer E)[]
  ? Sent<E>[]
  : T extends object
    ? { [K in keyof T]: object extends Pick<T, K> ? Sent<T[K]> | undefined : Sent<T[K]> }
    : T;

export interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** Takes an Idempotency-Key. */
  readonly keyed: boolean;
  /** Can be for a connected account (X-Sync). */
  readonly sync: boolean;
}

type Success = 200 | 201 | 202;
type PathOf<O> = O extends { parameters: { path: infer P } } ? P : never;
type QueryOf<O> = O extends { parameters: { query?: infer Q } } ? NonNullable<Q> : never;
type BodyOf<O> = O extends { requestBody?: infer B } ? JsonOf<NonNullable<B>> : never;
type ReplyOf<O> = O extends { responses: infer R } ? WithEvents<JsonOf<R[keyof R & Success]>> : never;
type JsonOf<C> = C extends { content: { 'application/json': infer J } } ? J : never;
/** The input under the name, unless the operation has none. */
type Input<N extends string, T> = [T] extends [never] ? unknown : { [K in N]: Sent<T> };

/** What each operation takes and returns. */
export type Operations = {
  [N in keyof typeof OPERATIONS]: Input<'path', PathOf<operations[N]>> &
    Input<'query', QueryOf<operations[N]>> &
    Input<'body', BodyOf<operations[N]>> & { reply: ReplyOf<operations[N]> };
};

/** The query of an operation. */
export type Query<N extends keyof typeof OPERATIONS> = Sent<QueryOf<operations[N]>>;

/** What an event adds to the envelope, whose own `data` may hold anything. */
type DataOf<E> = E extends Event & infer Added ? (Added extends { data?: infer D } ? D : never) : never;

/** What `data` holds in an event of each type. */
export type EventData = { [T in keyof webhooks]: DataOf<BodyOf<webhooks[T]['post']>> };

/** An event of the type T: the body of a webhook delivery and the record behind it. */
export interface EventOf<T extends keyof EventData> extends Omit<Event, 'event' | 'data'> {
  /** What happened; never `type`. */
  event: T;
  /** The full resource, as GET shows it. */
  data: EventData[T];
}

/** Any event; `event.event` tells which, and what `event.data` is. Types may be added: ignore those you do not know. */
export type PirogueEvent = { [T in keyof EventData]: EventOf<T> }[keyof EventData];
