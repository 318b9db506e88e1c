import type { Corpus } from './searchable.ts';

/** Indexes that a worker does not rebuild for a while, because it has just rebuilt one of their segments. */
export class Rests {
  /** With their ends, by `performance.now()`. */
  readonly #resting = new Map<string, { corpus: Corpus; until: number }>();

  /** @param ms milliseconds from now */
  begin({ team_id, kind }: Corpus, ms: number): void {
    this.#resting.set(`${team_id} ${kind}`, { corpus: { team_id, kind }, until: performance.now() + ms });
  }

  has({ team_id, kind }: Corpus): boolean {
    return (this.#resting.get(`${team_id} ${kind}`)?.until ?? 0) > performance.now();
  }

  /** Returns the indexes that rest now. */
  all(): Corpus[] {
    const now = performance.now();
    for (const [name, { until }] of this.#resting) if (until <= now) this.#resting.delete(name);
    return [...this.#resting.values()].map(({ corpus }) => corpus);
  }
}
