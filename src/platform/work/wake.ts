import type { Environment } from '../../kit/environment.ts';

/**
 * Notifies the delivery workers of this process of a commit, so that they query immediately instead of at their next poll.
 * Notifications are lost on a crash and do not reach other processes: polling guarantees the work, notifications only reduce
 * the latency.
 */
export class Wake {
  readonly #listeners: Record<Environment, Set<() => void>> = { sandbox: new Set(), live: new Set() };

  /** Notifies the listeners. Called after a commit that may have created work in this environment. */
  ring(environment: Environment): void {
    for (const listener of this.#listeners[environment]) listener();
  }

  /**
   * Registers a listener.
   * @returns a function that removes it
   */
  listen(environment: Environment, listener: () => void): () => void {
    this.#listeners[environment].add(listener);
    return () => this.#listeners[environment].delete(listener);
  }
}
