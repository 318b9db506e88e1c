import { randomBase62, type Secrets, sameText, sha256 } from '../../kit/crypto.ts';

/** Name of the hidden field. */
export const FORM_FIELD = '_form';

/**
 * Returns a token for a form that is shown: a nonce, and a keyed hash that binds it to this browser and this session. Another site
 * cannot make one. A token of another browser, or from before the sign-in, is not valid.
 */
export function newFormToken(secrets: Secrets, browser: string, session_id: string | null): string {
  const nonce = randomBase62(22);
  return `${nonce}.${macOf(secrets, browser, session_id, nonce)}`;
}

/**
 * Verifies a presented token.
 * @returns its nonce, which is the same for each submit of one form that was shown; null when it is not valid
 */
export function readFormToken(secrets: Secrets, browser: string, session_id: string | null, presented: unknown): string | null {
  if (typeof presented !== 'string') return null;
  const [nonce, mac, more] = presented.split('.', 3);
  if (nonce === undefined || mac === undefined || more !== undefined || !/^[0-9A-Za-z]{22}$/.test(nonce)) return null;
  return sameText(mac, macOf(secrets, browser, session_id, nonce)) ? nonce : null;
}

/** Code of the letter `a`. */
const A = 97;

/**
 * Returns the key of a form with its input: the same for each submit of it, and another one when the input differs.
 * @param form_key of the submitted form
 */
export function keyOfAsked(form_key: string, asked: unknown): string {
  // Letters only: a row of digits could be taken for a card number.
  const letters = [...sha256(JSON.stringify(asked)).subarray(0, 16)].map((byte) => A + (byte & 15));
  return `${form_key}-${String.fromCharCode(...letters)}`;
}

function macOf(secrets: Secrets, browser: string, session_id: string | null, nonce: string): string {
  return secrets.mac('console-form', `${browser}|${session_id ?? ''}|${nonce}`);
}
