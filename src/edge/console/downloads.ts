import type { Readable } from 'node:stream';
import { Problem } from '../../kit/errors.ts';

/** Maximum concurrent downloads of one person in one process. An export reads the database for as long as the browser takes. */
const MAX_OPEN = 2;

/** Files that are being sent, by person. */
export class Downloads {
  readonly #open = new Map<string, number>();

  /**
   * Counts a file until it is sent or given up.
   * @throws Problem 429 when the person has too many under way; the file is then closed
   */
  begin(user_id: string, file: Readable): void {
    const open = this.#open.get(user_id) ?? 0;
    if (open >= MAX_OPEN) {
      file.destroy();
      throw new Problem(429, `${MAX_OPEN} downloads are under way: wait until one has ended, then repeat.`);
    }
    this.#open.set(user_id, open + 1);
    file.once('close', () => this.#end(user_id));
  }

  #end(user_id: string): void {
    const open = this.#open.get(user_id) ?? 0;
    if (open > 1) this.#open.set(user_id, open - 1);
    else this.#open.delete(user_id);
  }
}
