import { randomBytes } from 'node:crypto';
import { type Secrets, sameText, sha256 } from '../../kit/crypto.ts';
import { Problem } from '../../kit/errors.ts';
import type { Queryable } from '../../kit/sql.ts';
import { findPasskey, insertPasskey, type PasskeyRow, useChallenge, usePasskey } from './factor-store.ts';
import type { User } from './schema.ts';

/** Validity of a challenge in milliseconds. */
const CHALLENGE_MS = 5 * 60_000;
const MAX_ANSWER = 20_000;
/** ES256, EdDSA and RS256, the algorithms of common authenticators. */
const ALGORITHMS = [-7, -8, -257];

/** Where passkeys are valid: the host of the console, and its origin as the browser reports it. */
export interface Site {
  host: string;
  origin: string;
}

/** Returns where passkeys are valid; null where browsers permit none: for an IP address, or without https outside this machine. */
export function siteOf(origin: string): Site | null {
  const url = URL.parse(origin);
  if (!url) return null;
  const host = url.hostname;
  const named = !/^[\d.]+$/.test(host) && !host.startsWith('[');
  const safe = url.protocol === 'https:' || host === 'localhost' || host.endsWith('.localhost');
  return named && safe ? { host, origin: url.origin } : null;
}

/**
 * Returns a challenge: random bytes, the time, and a keyed hash that binds both to this browser. It can be answered once, within
 * {@link CHALLENGE_MS} ({@link useChallenge}).
 * @param at milliseconds since the epoch
 */
export function newChallenge(secrets: Secrets, browser: string, at: number): string {
  const body = `${at.toString(36)}.${randomBytes(16).toString('base64url')}`;
  return Buffer.from(`${body}.${secrets.mac('console-passkey', `${browser}|${body}`)}`).toString('base64url');
}

/** Returns whether the challenge in a response is valid, and marks it as used. */
async function isChallenge(db: Queryable, secrets: Secrets, browser: string, challenge: string, at: number): Promise<boolean> {
  const [time = '', random = '', mac = ''] = Buffer.from(challenge, 'base64url').toString().split('.', 3);
  const body = `${time}.${random}`;
  if (!sameText(mac, secrets.mac('console-passkey', `${browser}|${body}`))) return false;
  const age_ms = at - Number.parseInt(time, 36);
  return age_ms >= -CHALLENGE_MS && age_ms <= CHALLENGE_MS && (await useChallenge(db, sha256(body)));
}

/** Returns the options of the browser for a sign-in with any passkey for this host. */
export function requestOptions(site: Site, challenge: string) {
  return { challenge, rpId: site.host, userVerification: 'required', timeout: CHALLENGE_MS };
}

/** Returns the options of the browser for creating a passkey for this person. */
export function creationOptions(
  site: Site,
  challenge: string,
  user: Pick<User, 'id' | 'email' | 'name'>,
  known: readonly PasskeyRow[],
) {
  return {
    challenge,
    rp: { id: site.host, name: 'Pirogue' },
    user: { id: Buffer.from(user.id).toString('base64url'), name: user.email, displayName: user.name },
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
    excludeCredentials: known.map(({ id, transports }) => ({ type: 'public-key', id, transports })),
    authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
    attestation: 'none',
    timeout: CHALLENGE_MS,
  };
}

/** Values with which a response of the browser is compared. */
export interface Expected {
  secrets: Secrets;
  site: Site;
  browser: string;
  /** Milliseconds since the epoch. */
  at: number;
}

/** Verifies the response of a browser against the passkey that it names. Returns the passkey; null when the response is not valid. */
export async function provePasskey(db: Queryable, expected: Expected, answer: string): Promise<PasskeyRow | null> {
  const { secrets, site, browser, at } = expected;
  const response = parsed(answer);
  const key = response === null ? undefined : await findPasskey(db, response.id);
  if (response === null || !key) return null;
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server'); // here, because few requests are about passkeys
  const { id, public_key, counter } = key;
  const asked = heldChallenge();
  const proof = await verifyAuthenticationResponse({
    response: response as unknown as Parameters<typeof verifyAuthenticationResponse>[0]['response'],
    expectedChallenge: asked.hold,
    expectedOrigin: site.origin,
    expectedRPID: site.host,
    requireUserVerification: true,
    credential: { id, publicKey: new Uint8Array(public_key), counter: Number(counter) },
  }).catch(() => null); // the library throws whatever does not fit
  if (!proof?.verified || !(await isChallenge(db, secrets, browser, asked.text, at))) return null;
  return (await usePasskey(db, id, BigInt(proof.authenticationInfo.newCounter))) ? key : null;
}

/**
 * Registers the passkey in the response of a browser.
 * @throws Problem 422 when the response is not valid, or the passkey is registered already
 */
export async function addPasskey(
  db: Queryable,
  expected: Expected,
  user_id: string,
  name: string,
  answer: string,
): Promise<void> {
  const { secrets, site, browser, at } = expected;
  const response = parsed(answer);
  const asked = heldChallenge();
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server'); // here, because few requests are about passkeys
  const verify = () =>
    verifyRegistrationResponse({
      response: response as unknown as Parameters<typeof verifyRegistrationResponse>[0]['response'],
      expectedChallenge: asked.hold,
      expectedOrigin: site.origin,
      expectedRPID: site.host,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    }).catch(() => null); // the library throws whatever does not fit
  const proof = response && (await hasNoCertificates(response)) ? await verify() : null;
  const made = proof?.verified ? proof.registrationInfo.credential : null;
  // The library reads the id from the signed part of the response.
  if (!made || made.id !== response?.id || !(await isChallenge(db, secrets, browser, asked.text, at))) {
    throw new Problem(422, 'The passkey could not be verified. Try again.');
  }
  const { id, publicKey, counter } = made;
  const known = textsIn(made.transports)
    .filter((one) => /^[a-z-]{1,20}$/.test(one))
    .slice(0, 10);
  const row = { id, user_id, public_key: Buffer.from(publicKey), counter: BigInt(counter), transports: known, name };
  if (!(await insertPasskey(db, row))) throw new Problem(422, 'This passkey is registered already.');
}

/** Stores the challenge in a response while the library verifies the rest. It is checked later: the library hides database errors. */
function heldChallenge() {
  const held = {
    text: '',
    hold: (challenge: unknown) => {
      held.text = typeof challenge === 'string' ? challenge : '';
      return held.text !== '';
    },
  };
  return held;
}

/**
 * Returns whether a response has no attestation by the maker of the authenticator, as requested; self-attestation of the new key is
 * accepted. A browser removes any other attestation. Certificates in a response could be forged, and the library would call the
 * addresses of the revocation lists that they name.
 */
async function hasNoCertificates({ response }: Parsed): Promise<boolean> {
  const { decodeAttestationObject, isoBase64URL } = await import('@simplewebauthn/server/helpers');
  try {
    const attestation = decodeAttestationObject(isoBase64URL.toBuffer(response.attestationObject as string));
    const format = attestation.get('fmt');
    return format === 'none' || (format === 'packed' && attestation.get('attStmt').get('x5c') === undefined);
  } catch {
    return false; // the library throws for any other form
  }
}

/** Returns the texts in a list; an empty list for any other value. */
function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

/** The parts of a response that are read here; the library reads the rest. */
interface Parsed {
  id: string;
  response: Readonly<Record<string, unknown>>;
}

/** Returns whether the encoded parts of a response are texts. For other values, the library would allocate memory by a claimed length. */
function isEncoded(response: unknown): boolean {
  if (typeof response !== 'object' || response === null) return false;
  const { clientDataJSON, attestationObject, authenticatorData, signature } = response as Parsed['response'];
  const parts = [attestationObject, authenticatorData, signature].filter((part) => part !== undefined);
  return typeof clientDataJSON === 'string' && parts.every((part) => typeof part === 'string');
}

/** Parses the JSON that the script puts into a form; null for any other text. */
function parsed(answer: string): Parsed | null {
  if (answer.length > MAX_ANSWER) return null;
  try {
    const value: unknown = JSON.parse(answer);
    const { id, response } = (value ?? {}) as { id?: unknown; response?: unknown };
    const fits = typeof id === 'string' && /^[\w-]{1,1400}$/.test(id) && isEncoded(response);
    return fits ? (value as Parsed) : null;
  } catch {
    return null;
  }
}
