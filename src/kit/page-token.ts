import { sameText } from './crypto.ts';

/** Whose something is, and which. */
export interface Owned {
  team_id: bigint;
  id: string;
}

/** What the addresses of one kind of page have in common. */
export interface TokenKind {
  /** Of the ids; it stands in no address. */
  prefix: string;
  /** A MAC of 128 bits under the server's secret, in 22 characters: what others make is worth nothing. */
  sign(subject: Owned): string;
}

/**
 * The last part of an address that is shared: id and team in the clear, and the MAC. Nothing is stored: the same page has
 * the same token at any time, and is found by it without a search.
 */
export function makePageToken({ prefix, sign }: TokenKind, subject: Owned): string {
  return `${subject.id.slice(prefix.length)}.${subject.team_id.toString(36)}.${sign(subject)}`;
}

/** @returns null for anything that this server did not make */
export function readPageToken(kind: TokenKind, token: string): Owned | null {
  const match = /^([0-9a-z]{26})\.([0-9a-z]{1,13})\.[\w-]{22}$/.exec(token);
  if (!match) return null;
  const subject = { id: kind.prefix + match[1], team_id: fromBase36(match[2] as string) };
  return sameText(makePageToken(kind, subject), token) ? subject : null;
}

/** Digit by digit: a number that JavaScript would round is another team. */
function fromBase36(text: string): bigint {
  return [...text].reduce((number, digit) => number * 36n + BigInt(Number.parseInt(digit, 36)), 0n);
}
