import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto';
import type { Call } from '../kit/calls.ts';

export const KEY_ID = 'HTTP_EC_P256_KEY:1';
const COVERED = '("@method" "@authority" "@path" "signature-date" "content-digest" "content-type")';

export interface KeyPair {
  publicKey: KeyObject;
  privateKey: KeyObject;
}

/** Returns a new pair of ECDSA keys on P-256. */
export function newKeyPair(): KeyPair {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

/**
 * Returns the headers of a signed callback.
 * @param encoding the encoding of the ECDSA signature
 * @param at time of signing, in milliseconds since the epoch
 */
export function callbackHeaders(
  url: string,
  body: string,
  key: KeyObject,
  encoding: 'der' | 'raw',
  at: number,
): Record<string, string> {
  const { host, pathname } = new URL(url);
  const now = Math.floor(at / 1_000);
  const digest = `sha-512=:${createHash('sha512').update(body).digest('base64')}:`;
  const date = new Date(at).toISOString();
  const parameters = `${COVERED};alg="ecdsa-p256-sha256";keyid="${KEY_ID}";created=${now};expires=${now + 60}`;
  const base = [
    '"@method": POST',
    `"@authority": ${host}`,
    `"@path": ${pathname}`,
    `"signature-date": ${date}`,
    `"content-digest": ${digest}`,
    '"content-type": application/json',
    `"@signature-params": ${parameters}`,
  ].join('\n');
  const dsaEncoding = encoding === 'raw' ? 'ieee-p1363' : 'der';
  const signature = sign('sha256', Buffer.from(base), { key, dsaEncoding }).toString('base64');
  return {
    'content-type': 'application/json',
    'content-digest': digest,
    'signature-date': date,
    'signature-input': `sig-pp=${parameters}`,
    signature: `sig-pp=:${signature}:`,
  };
}

/** Returns whether a request is signed with the key the merchant registered (in PEM), in the way of the official example. */
export function requestIsSigned({ method, path, headers, body }: Call, publicKeyPem: string): boolean {
  const parameters = /^sig-pp=(\(.*\);.*)$/.exec(String(headers['signature-input']))?.[1];
  const signature = /^sig-pp=:(.*):$/.exec(String(headers.signature))?.[1];
  const digest = `sha-512=:${createHash('sha512').update(body).digest('base64')}:`;
  if (!parameters || !signature || headers['content-digest'] !== digest) return false;
  const derived: Record<string, string> = { '@method': method, '@authority': String(headers.host), '@path': path };
  const covered = [...parameters.slice(0, parameters.indexOf(')')).matchAll(/"([^"]+)"/g)].map(([, name]) => name as string);
  const lines = covered.map((name) => `"${name}": ${derived[name] ?? headers[name]}`);
  const base = [...lines, `"@signature-params": ${parameters}`].join('\n');
  return verify('sha256', Buffer.from(base), createPublicKey(publicKeyPem), Buffer.from(signature, 'base64'));
}
