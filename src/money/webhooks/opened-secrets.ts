import type { Secrets } from '../../kit/crypto.ts';

/** Endpoints whose secrets are kept: more than a claim examines. */
const MAX_KEPT = 1_000;

/**
 * Decrypts the signing secrets of endpoints, and keeps those it decrypted last: a busy endpoint's secret is needed for each delivery.
 * A rotated secret, or one encrypted with another key, is another text and is decrypted anew.
 */
export class OpenedSecrets {
  readonly #secrets: Pick<Secrets, 'open'>;
  readonly #kept = new Map<string, string>();

  constructor(secrets: Pick<Secrets, 'open'>) {
    this.#secrets = secrets;
  }

  /** @throws SealError as `Secrets.open` does; a failure is not kept */
  open(sealed: string, place: string): string {
    const name = `${place} ${sealed}`;
    const known = this.#kept.get(name);
    if (known !== undefined) return known;
    const secret = this.#secrets.open(sealed, place);
    if (this.#kept.size >= MAX_KEPT) this.#kept.clear();
    this.#kept.set(name, secret);
    return secret;
  }
}
