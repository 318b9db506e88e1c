import { sameText } from './crypto.ts';

/** Id of an object and its team. */
export interface Owned {
  team_id: bigint;
  id: string;
}

/** Properties shared by the tokens of one kind of page. */
export interface TokenKind {
  /** Prefix of the ids; left out of the token. */
  prefix: string;
  /** Returns a 128-bit MAC under the server's secret, in 22 characters, so that tokens cannot be forged. */
  sign(subject: Owned): string;
}

/**
 * Creates the last path segment of a shared URL: id and team in plain text, and the MAC. Nothing is stored: the same page
 * always has the same token, and the token identifies the page without a search.
 */
export function makePageToken({ prefix, sign }: TokenKind, subject: Owned): string {
  return `${subject.id.slice(prefix.length)}.${subject.team_id.toString(36)}.${sign(subject)}`;
}

/**
 * Verifies a token and returns its subject.
 * @returns null for a token that this server did not make
 */
export function readPageToken(kind: TokenKind, token: string): Owned | null {
  const match = /^([0-9a-z]{26})\.([0-9a-z]{1,13})\.[\w-]{22}$/.exec(token);
  if (!match) return null;
  const subject = { id: kind.prefix + match[1], team_id: fromBase36(match[2] as string) };
  return sameText(makePageToken(kind, subject), token) ? subject : null;
}

/** Converts digit by digit with bigint: a number rounded by JavaScript would be another team. */
function fromBase36(text: string): bigint {
  return [...text].reduce((number, digit) => number * 36n + BigInt(Number.parseInt(digit, 36)), 0n);
}
