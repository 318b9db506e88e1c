import { constants, createHash, type KeyObject, sign, verify } from 'node:crypto';
import { sameText } from '../../../kit/crypto.ts';

/** One HTTP message, byte for byte. Header names are lower case. */
export interface Message {
  method: string;
  url: string;
  headers: Record<string, string | string[] | undefined>;
  body: string | Buffer;
}

/**
 * The result of verifying a signature. `keyless`: its key is unknown or not yet fetched. `untimely`: right, but expired or created
 * outside the accepted time; the message may have waited in a queue, or be a replay.
 */
export type Verdict = 'unsigned' | 'right' | 'untimely' | 'wrong' | 'keyless';

const LABEL = 'sig-pp';
/** Callbacks are repeated for 15 minutes. The other 5 allow for clock differences. */
const WINDOW_MS = 1_200_000;
const SIGNED = ['@method', '@authority', '@path', 'signature-date', 'content-digest', 'content-type'];
/** Components a signature must cover. Otherwise it could be reused for another body or for another customer of pawaPay. */
const DUE = ['@method', '@authority', '@path', 'content-digest'];
const RSA_PSS = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };

/**
 * Returns the headers that sign a request (RFC 9421, with the digest of RFC 9530).
 * @param now milliseconds since the epoch
 */
export function signedHeaders(message: Message, by: { key: KeyObject; key_id: string }, now: number): Record<string, string> {
  const algorithm = algorithmOf(by.key);
  const added = {
    'content-digest': `sha-512=:${digest('sha512', message.body)}:`,
    'signature-date': new Date(now).toISOString(),
  };
  const created = Math.floor(now / 1_000);
  const covered = SIGNED.map((name) => `"${name}"`).join(' ');
  const parameters = `(${covered});alg="${algorithm}";keyid="${by.key_id}";created=${created};expires=${created + 60}`;
  const base = signatureBase({ ...message, headers: { ...message.headers, ...added } }, SIGNED, parameters) ?? '';
  const signature = sign(hashOf(algorithm), Buffer.from(base), keyFor(algorithm, by.key, 'der')).toString('base64');
  return { ...added, 'signature-input': `${LABEL}=${parameters}`, signature: `${LABEL}=:${signature}:` };
}

/**
 * Verifies the signature of a message.
 * @param keyOf returns the public key of a key id by exact match
 * @param now milliseconds since the epoch
 */
export function verifyMessage(message: Message, keyOf: (id: string) => KeyObject | undefined, now: number): Verdict {
  const input = headerOf(message, 'signature-input');
  const signature = headerOf(message, 'signature');
  if (input === null && signature === null) return 'unsigned';
  const parsed = parseInput(input ?? '');
  const bytes = /^([\w-]+)=:([A-Za-z0-9+/]+=*):$/.exec(signature ?? '');
  if (!parsed || bytes?.[1] !== parsed.label) return 'wrong';
  if (!DUE.every((name) => parsed.covered.includes(name)) || !digestFits(message)) return 'wrong';
  const base = signatureBase(message, parsed.covered, parsed.parameters);
  if (base === null) return 'wrong';
  const key = keyOf(parsed.key_id);
  if (!key) return 'keyless';
  if (!signatureFits(parsed.algorithm, key, base, Buffer.from(bytes[2] as string, 'base64'))) return 'wrong';
  return isTimely(message, parsed, now) ? 'right' : 'untimely';
}

interface Input {
  label: string;
  covered: string[];
  /** The parameters as received, because they are part of the signed text. */
  parameters: string;
  algorithm: string;
  key_id: string;
  expires: number | null;
  created: number | null;
}

function parseInput(text: string): Input | null {
  const parts = /^([\w-]+)=(\(((?:"[@\w-]+" ?)+)\)((?:;[a-z]+=(?:"[^"]*"|\d+))*))$/.exec(text);
  if (!parts) return null;
  const [, label, parameters, list, rest] = parts as unknown as [string, string, string, string, string];
  const covered = [...list.matchAll(/"([^"]+)"/g)].map(([, name]) => name as string);
  // RFC 9421, 2.5: each component once. With repeated ones, the sender could make the signed text arbitrarily long.
  if (new Set(covered).size < covered.length) return null;
  const values = new Map(
    [...rest.matchAll(/;([a-z]+)=(?:"([^"]*)"|(\d+))/g)].map(([, name, words, number]) => [name, words ?? number]),
  );
  const seconds = (name: string) => (values.has(name) ? Number(values.get(name)) : null);
  return {
    ...{ label, parameters, covered },
    ...{ algorithm: values.get('alg') ?? '', key_id: values.get('keyid') ?? '' },
    ...{ expires: seconds('expires'), created: seconds('created') },
  };
}

/**
 * Returns whether the signature is unexpired and was created recently, by `created` and by `signature-date` where it
 * is covered.
 */
function isTimely(message: Message, { covered, created, expires }: Input, now: number): boolean {
  const dated = covered.includes('signature-date') ? Date.parse(headerOf(message, 'signature-date') ?? '') : null;
  const moments = [dated, created === null ? null : created * 1_000].filter((moment) => moment !== null);
  const inWindow = moments.length > 0 && moments.every((moment) => Math.abs(now - moment) <= WINDOW_MS);
  return inWindow && (expires === null || now <= expires * 1_000);
}

/** Returns whether there is at least one digest of a known algorithm and all such digests match. */
function digestFits(message: Message): boolean {
  const digests = [...(headerOf(message, 'content-digest') ?? '').matchAll(/(sha-256|sha-512)=:([A-Za-z0-9+/]+=*):/g)];
  return (
    digests.length > 0 &&
    digests.every(([, kind, value]) => sameText(value as string, digest(kind === 'sha-256' ? 'sha256' : 'sha512', message.body)))
  );
}

/**
 * Returns the signed text.
 * @returns null when the message lacks a covered component
 */
function signatureBase(message: Message, covered: readonly string[], parameters: string): string | null {
  const target = URL.parse(message.url);
  if (!target) return null;
  const derived: Record<string, string> = {
    '@method': message.method.toUpperCase(),
    '@authority': target.host,
    '@path': target.pathname,
  };
  const lines: string[] = [];
  for (const name of covered) {
    const value = derived[name] ?? headerOf(message, name);
    if (value === null) return null;
    lines.push(`"${name}": ${value}`);
  }
  return [...lines, `"@signature-params": ${parameters}`].join('\n');
}

/** Verifies in both encodings of an ECDSA signature: RFC 9421 requires raw r and s, while pawaPay's own example is DER. */
function signatureFits(algorithm: string, key: KeyObject, base: string, signature: Buffer): boolean {
  if (!ALGORITHMS.has(algorithm) || !isOfKind(key, algorithm)) return false;
  return (['der', 'ieee-p1363'] as const).some((encoding) => {
    try {
      return verify(hashOf(algorithm), Buffer.from(base), keyFor(algorithm, key, encoding), signature);
    } catch {
      return false;
    }
  });
}

const ALGORITHMS = new Set(['ecdsa-p256-sha256', 'ecdsa-p384-sha384', 'rsa-pss-sha512', 'rsa-v1_5-sha256']);

/** Returns the signature algorithm of a key. */
export function algorithmOf(key: KeyObject): string {
  if (key.asymmetricKeyType === 'ec') {
    return key.asymmetricKeyDetails?.namedCurve === 'secp384r1' ? 'ecdsa-p384-sha384' : 'ecdsa-p256-sha256';
  }
  return key.asymmetricKeyType === 'rsa-pss' ? 'rsa-pss-sha512' : 'rsa-v1_5-sha256';
}

function isOfKind(key: KeyObject, algorithm: string): boolean {
  return algorithm.startsWith('ecdsa') ? algorithmOf(key) === algorithm : key.asymmetricKeyType?.startsWith('rsa') === true;
}

function hashOf(algorithm: string): string {
  return algorithm.slice(algorithm.lastIndexOf('-') + 1);
}

function keyFor(algorithm: string, key: KeyObject, encoding: 'der' | 'ieee-p1363') {
  if (algorithm.startsWith('ecdsa')) return { key, dsaEncoding: encoding };
  return algorithm === 'rsa-pss-sha512' ? { key, ...RSA_PSS } : { key };
}

function digest(hash: 'sha256' | 'sha512', body: string | Buffer): string {
  return createHash(hash).update(body).digest('base64');
}

/** Returns the value of a header, or null when it is missing or repeated. */
function headerOf({ headers }: Message, name: string): string | null {
  const value = headers[name];
  return typeof value === 'string' ? value.trim() : null;
}
