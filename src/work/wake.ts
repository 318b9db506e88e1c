import type { Environment } from '../kit/environment.ts';

/**
 * Tells the delivery workers of this process that something was committed, so that they look now instead of at their next
 * poll. Lost on a crash and unknown to other processes: polling is what guarantees the work, this only makes it quick.
 */
export class Wake {
  readonly #listeners: Record<Environment, Set<() => void>> = { sandbox: new Set(), live: new Set() };

  /** Call after a commit that may have made work in this store. */
  ring(environment: Environment): void {
    for (const listener of this.#listeners[environment]) listener();
  }

  /** @returns a function that stops listening */
  listen(environment: Environment, listener: () => void): () => void {
    this.#listeners[environment].add(listener);
    return () => this.#listeners[environment].delete(listener);
  }
}
