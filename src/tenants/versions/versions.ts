import { type FieldErrors, invalid, Problem } from '../../kit/errors.ts';
import type { Json, JsonObject } from '../../kit/json.ts';
import type { ResourceName, RouteName, Sent, VersionChange } from './change.ts';
import { dataOf, itemsOf } from './places.ts';

/** The API versions and the translations between them. */
export class Versions {
  readonly #first: string;
  readonly #changes: VersionChange[] = [];

  constructor(first: string, changes: readonly VersionChange[]) {
    this.#first = first;
    for (const change of changes) this.add(change);
  }

  /**
   * Adds the next version. The program does so at load; tests add versions of their own.
   * @throws Error when the version is not newer than the newest
   */
  add(change: VersionChange): void {
    if (change.version <= this.newest) throw new Error(`${change.version} is not newer than ${this.newest}`);
    this.#changes.push(change);
  }

  /** The version that handlers implement. */
  get newest(): string {
    return this.#changes.at(-1)?.version ?? this.#first;
  }

  /** All versions, oldest first. */
  get all(): string[] {
    return [this.#first, ...this.#changes.map(({ version }) => version)];
  }

  has(version: string): boolean {
    return version === this.#first || this.#changes.some((change) => change.version === version);
  }

  /** Translates a request of this version to the newest. The input is not modified. */
  upgrade(version: string, route: RouteName, sent: Sent): Sent {
    let { body, query } = sent;
    for (const { requests } of this.#since(version)) {
      const change = requests?.[route];
      if (change?.body && isObject(body)) body = change.body(body);
      if (change?.query) query = change.query(query);
    }
    return { body, query };
  }

  /** Renames rejected fields to their names in this version. */
  errorsFor(version: string, route: RouteName, errors: FieldErrors): FieldErrors {
    return Object.fromEntries(Object.entries(errors).map(([path, messages]) => [this.fieldFor(version, route, path), messages]));
  }

  /** Returns the name of a request's field in this version. */
  fieldFor(version: string, route: RouteName, path: string): string {
    return this.#since(version)
      .toReversed()
      .map(({ requests }) => requests?.[route]?.fields ?? {})
      .reduce((name, fields) => renamed(name, fields), path);
  }

  /** Renames the rejected fields of an error thrown by a handler; returns any other error unchanged. */
  problemFor(version: string, route: RouteName, error: unknown): unknown {
    if (version === this.newest || !(error instanceof Problem) || !error.details.errors) return error;
    const errors = this.errorsFor(version, route, error.details.errors);
    // A message that was generated from the rejected fields contains their names, so it is generated again.
    const message = error.message === invalid(error.details.errors).message ? invalid(errors).message : error.message;
    return new Problem(error.status, message, { ...error.details, errors });
  }

  /**
   * Translates the body of a success to this version.
   * @param from version of `answer`; never translated to a newer one
   */
  downgrade(from: string, version: string, route: RouteName, answer: JsonObject): JsonObject {
    const listed = itemsOf(route);
    const shown = Object.entries(answer).map(([key, value]): [string, Json] => {
      if (key === 'items' && listed && Array.isArray(value))
        return [key, value.map((item) => this.#shown(from, version, listed, item))];
      return [key, this.#shown(from, version, key as ResourceName, value)];
    });
    return this.#between(version, from).reduceRight<JsonObject>(
      (body, { answers }) => answers?.[route]?.(body) ?? body,
      Object.fromEntries(shown),
    );
  }

  /** Translates an event to this version. An event older than the version stays as recorded, with its own `api_version`. */
  eventFor(version: string, event: JsonObject): JsonObject {
    const from = String(event.api_version);
    if (version >= from) return event;
    const subject = dataOf(String(event.event));
    const data = subject ? this.#shown(from, version, subject, event.data ?? null) : (event.data ?? null);
    return this.#resource(from, version, 'event', { ...event, api_version: version, data });
  }

  #shown(from: string, version: string, name: ResourceName, value: Json): Json {
    if (!isObject(value)) return value;
    return name === 'event' ? this.eventFor(version, value) : this.#resource(from, version, name, value);
  }

  #resource(from: string, version: string, name: ResourceName, shown: JsonObject): JsonObject {
    return this.#between(version, from).reduceRight(
      (resource, { resources }) => resources?.[name]?.(resource) ?? resource,
      shown,
    );
  }

  /** Returns the changes after `version`, oldest first. */
  #since(version: string): VersionChange[] {
    return this.#between(version, this.newest);
  }

  #between(after: string, upTo: string): VersionChange[] {
    return this.#changes.filter(({ version }) => version > after && version <= upTo);
  }
}

/** Renames a path: `customer.mail` follows `customer`, so a field inside a renamed one moves with it. */
function renamed(path: string, fields: Record<string, string>): string {
  const found = Object.entries(fields).find(([now]) => path === now || path.startsWith(`${now}.`));
  return found ? found[1] + path.slice(found[0].length) : path;
}

function isObject(value: unknown): value is JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
