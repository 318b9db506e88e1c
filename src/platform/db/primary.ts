import { setTimeout as sleep } from 'node:timers/promises';
import { asUnavailable, DatabaseUnavailable } from '../../kit/database-unavailable.ts';
import type { Host } from '../../kit/database-url.ts';
import { pgCode } from '../../kit/sql.ts';

/** Delay before the next host is tried too. A host that does not respond delays the search by no more than this. */
const STAGGER_MS = 250;
/** SQLSTATE "unable to establish a connection". */
const NO_CONNECTION = '08001';
/** SQLSTATE of a server, or a role, whose connections are all taken. */
export const TOO_MANY_CONNECTIONS = '53300';

/** A server was reached, but is a standby. */
export class IsStandby extends Error {
  readonly code = NO_CONNECTION;

  constructor({ host, port }: Host) {
    super(`${host}:${port} is a standby`);
  }
}

/** A server accepts writes, but another one has been promoted in its place. */
export class IsSuperseded extends Error {
  readonly code = NO_CONNECTION;

  constructor({ host, port }: Host) {
    super(`${host}:${port} was the primary before another server was promoted: make it a standby of that one`);
  }
}

/** History of a server's data. Each promotion begins a timeline with a higher number. */
export interface History {
  /** The same for a primary and its standbys. */
  cluster: string;
  timeline: number;
}

/**
 * The newest history that a connection of this process reported, by the hosts of its URL: as many entries as the settings have lists of
 * hosts. All pools share them, because a pool that was idle during a promotion tries the old primary first. The key is not the cluster
 * alone: a copy of a cluster that was promoted to serve another database has the same identifier.
 */
const newest = new Map<string, History>();

/** None of the hosts is a primary that accepts connections. */
export class NoPrimary extends Error {
  readonly code = NO_CONNECTION;
  /** Whether this node reaches at least one standby. */
  readonly standby_answered: boolean;

  constructor(errors: readonly Error[]) {
    super(`no host is the primary: ${errors.map(({ message }) => message).join('; ')}`);
    this.standby_answered = errors.some((error) => error instanceof IsStandby);
  }
}

/**
 * Finds the primary among several hosts. The last one found is used until a connection to it fails or it turns out to be a
 * standby. Then all hosts are tried in order, the last primary first.
 */
export class Primary {
  readonly #hosts: readonly Host[];
  /** The same for every order of the hosts. */
  readonly #names: string;
  readonly #check: (host: Host, primary: Primary) => Promise<void>;
  #known: Host | undefined;
  #last: Host | undefined;
  #search: Promise<Host> | undefined;

  /** @param check resolves when the host is a primary; has a deadline */
  constructor(hosts: readonly Host[], check: (host: Host, primary: Primary) => Promise<void>) {
    this.#hosts = hosts;
    this.#names = hosts
      .map(({ host, port }) => `${host} ${port}`)
      .sort()
      .join();
    this.#check = check;
    if (hosts.length === 1) this.#known = hosts[0];
  }

  /** Returns the host to connect to. Concurrent callers share one search. */
  async find(): Promise<Host> {
    if (this.#known) return this.#known;
    this.#search ??= this.#ask().finally(() => {
      this.#search = undefined;
    });
    return this.#search;
  }

  /** Whether the next connection searches for the primary. */
  get isSearching(): boolean {
    return this.#known === undefined;
  }

  /**
   * Records the history of a server that accepts writes. An old primary that was started again also accepts writes, which would be
   * lost.
   * @throws IsSuperseded when this process has used a later timeline of the same hosts
   */
  accept(server: Host, history: History): void {
    const known = newest.get(this.#names);
    if (known?.cluster === history.cluster && known.timeline > history.timeline) throw new IsSuperseded(server);
    newest.set(this.#names, history);
  }

  /** Records that a connection to the host failed, or that it is a standby. */
  failed(host: Host): void {
    if (this.#known === host) this.doubt();
  }

  /** Requires a new search before the next connection. */
  doubt(): void {
    if (this.#hosts.length > 1) this.#known = undefined;
  }

  async #ask(): Promise<Host> {
    const order = [...this.#hosts].sort((a, b) => Number(b === this.#last) - Number(a === this.#last));
    const over = new AbortController();
    const asked = order.map(async (host, index) => {
      await sleep(index * STAGGER_MS, undefined, { signal: over.signal });
      await this.#check(host, this);
      return host;
    });
    try {
      this.#known = await Promise.any(asked);
      this.#last = this.#known;
      return this.#known;
    } catch (error) {
      throw summary((error as AggregateError).errors);
    } finally {
      over.abort();
    }
  }
}

/**
 * Returns the error to report. A wrong password or database name is reported unchanged, because no other host would help. So is a last
 * primary that accepts no further connection: open connections to it still work.
 * @param errors in the order of the search: that of the last primary first, if there was one
 */
function summary(errors: readonly Error[]): Error {
  const other = errors.find((error) => !(asUnavailable(error) instanceof DatabaseUnavailable));
  const full = pgCode(errors[0]) === TOO_MANY_CONNECTIONS ? errors[0] : undefined;
  return other ?? full ?? new NoPrimary(errors);
}
