/** Scheduled functions. They never keep the process alive, and none runs after `stop`. */
export class Timers {
  readonly #pending = new Set<NodeJS.Timeout>();
  readonly #waiting = new Set<() => void>();
  #stopped = false;

  after(ms: number, act: () => void): void {
    if (this.#stopped) return;
    const timer = setTimeout(() => {
      this.#pending.delete(timer);
      act();
    }, ms).unref();
    this.#pending.add(timer);
  }

  /** Waits. Also resolves when everything is stopped in the meantime. */
  wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      if (this.#stopped) return resolve();
      this.#waiting.add(resolve);
      this.after(ms, () => {
        this.#waiting.delete(resolve);
        resolve();
      });
    });
  }

  get count(): number {
    return this.#pending.size;
  }

  stop(): void {
    this.#stopped = true;
    for (const timer of this.#pending) clearTimeout(timer);
    this.#pending.clear();
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}
