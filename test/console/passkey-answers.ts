import { createHash, KeyObject, sign, webcrypto } from 'node:crypto';
import { createRequire } from 'node:module';
import { isoCBOR } from '@simplewebauthn/server/helpers';
import '@simplewebauthn/server';

/*
 * What a browser puts into the form of a passkey, made without a browser: sound answers, and those that only an attacker makes.
 */

const { subtle } = webcrypto;
const ES256 = -7;
const EC = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const USER_PRESENT_AND_VERIFIED = 0x05;
const WITH_KEY = 0x40;

type Keys = webcrypto.CryptoKeyPair;

/** A passkey in software. */
export class SoftPasskey {
  readonly id: Buffer;
  readonly #keys: Keys;

  private constructor(id: Buffer, keys: Keys) {
    this.id = id;
    this.#keys = keys;
  }

  static async make(id_bytes = 32): Promise<SoftPasskey> {
    const id = Buffer.from(webcrypto.getRandomValues(new Uint8Array(id_bytes)));
    return new SoftPasskey(id, await subtle.generateKey(EC, true, ['sign', 'verify']));
  }

  /**
   * The answer to a request to make a passkey.
   * @param fields of `clientDataJSON`, instead of the sound ones
   * @param attestation the format and its statement, by what it signs
   */
  async made(
    site: { host: string; origin: string },
    fields: Record<string, unknown>,
    {
      attestation = async () => ['none', new Map()],
      ...others
    }: { attestation?: (signed: Signed) => Promise<[string, Map<string, unknown>]>; id?: string; transports?: unknown } = {},
  ): Promise<string> {
    const client = clientData('webauthn.create', site, fields);
    const authData = Buffer.concat([
      authenticatorData(site, USER_PRESENT_AND_VERIFIED | WITH_KEY),
      ...[Buffer.alloc(16), uint16(this.id.length), this.id, Buffer.from(isoCBOR.encode(await this.#cose()))],
    ]);
    const [fmt, attStmt] = await attestation({ authData, clientHash: sha256(client), keys: this.#keys });
    const object = new Map<string, unknown>([
      ['fmt', fmt],
      ['attStmt', attStmt],
      ['authData', new Uint8Array(authData)],
    ]);
    const id = others.id ?? this.id.toString('base64url');
    return JSON.stringify({
      ...{ id, rawId: id, type: 'public-key', clientExtensionResults: {} },
      response: {
        clientDataJSON: client.toString('base64url'),
        attestationObject: Buffer.from(isoCBOR.encode(object as never)).toString('base64url'),
        transports: 'transports' in others ? others.transports : ['internal'],
      },
    });
  }

  /** The answer to a request to sign in. */
  async proof(site: { host: string; origin: string }, fields: Record<string, unknown>): Promise<string> {
    const client = clientData('webauthn.get', site, fields);
    const authData = authenticatorData(site, USER_PRESENT_AND_VERIFIED);
    const id = this.id.toString('base64url');
    return JSON.stringify({
      ...{ id, rawId: id, type: 'public-key', clientExtensionResults: {} },
      response: {
        clientDataJSON: client.toString('base64url'),
        authenticatorData: authData.toString('base64url'),
        signature: signatureOf(this.#keys, authData, sha256(client)).toString('base64url'),
      },
    });
  }

  async #cose(): Promise<Map<number, number | Uint8Array>> {
    const { x, y } = (await subtle.exportKey('jwk', this.#keys.publicKey)) as { x: string; y: string };
    const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'));
    return new Map<number, number | Uint8Array>([
      ...([
        [1, 2],
        [3, ES256],
        [-1, 1],
      ] as const),
      ...([
        [-2, bytes(x)],
        [-3, bytes(y)],
      ] as const),
    ]);
  }
}

interface Signed {
  authData: Buffer;
  clientHash: Buffer;
  keys: Keys;
}

/** The new key signs for itself: browsers leave that, also where nothing was asked for. */
export async function selfAttestation({ authData, clientHash, keys }: Signed): Promise<[string, Map<string, unknown>]> {
  const sig = new Uint8Array(signatureOf(keys, authData, clientHash));
  return [
    'packed',
    new Map<string, unknown>([
      ['alg', ES256],
      ['sig', sig],
    ]),
  ];
}

/**
 * A statement of an Android device with certificates of the sender's own making, of which one names an address of a revocation list.
 * @param visited the address
 */
export function androidAttestation(visited: string) {
  return async ({ authData, clientHash, keys }: Signed): Promise<[string, Map<string, unknown>]> => {
    // The library's own: certificates are made for this test only.
    const require = createRequire(import.meta.resolve('@simplewebauthn/server'));
    const x509 = require('@peculiar/x509') as typeof import('@peculiar/x509');
    const rootKeys = await subtle.generateKey(EC, true, ['sign', 'verify']);
    const common = { notBefore: new Date(Date.now() - 60_000), notAfter: new Date(Date.now() + 3_600_000), signingAlgorithm: EC };
    const root = await x509.X509CertificateGenerator.createSelfSigned({
      ...{ ...common, serialNumber: '01', name: 'CN=root', keys: rootKeys },
      extensions: [new x509.BasicConstraintsExtension(true, 2, true)],
    });
    const leaf = await x509.X509CertificateGenerator.create({
      ...{ ...common, serialNumber: '02', subject: 'CN=leaf', issuer: root.subject },
      ...{ publicKey: keys.publicKey, signingKey: rootKeys.privateKey },
      extensions: [
        new x509.Extension('1.3.6.1.4.1.11129.2.1.17', false, new Uint8Array(keyDescription(clientHash))),
        new x509.CRLDistributionPointsExtension([visited]),
      ],
    });
    const x5c = [leaf, root].map(({ rawData }) => new Uint8Array(rawData));
    const sig = new Uint8Array(signatureOf(keys, authData, clientHash));
    return [
      'android-key',
      new Map<string, unknown>([
        ['alg', ES256],
        ['sig', sig],
        ['x5c', x5c],
      ]),
    ];
  };
}

/** The DER of a key description (https://source.android.com/docs/security/features/keystore/attestation) with this challenge. */
function keyDescription(challenge: Buffer): Buffer {
  const parts = ['020103', '0a0100', '020104', '0a0100', `0420${challenge.toString('hex')}`, '0400', '3000', '3000'].join('');
  const body = Buffer.from(parts, 'hex');
  return Buffer.concat([Buffer.from([0x30, body.length]), body]);
}

function clientData(type: string, { origin }: { origin: string }, fields: Record<string, unknown>): Buffer {
  return Buffer.from(JSON.stringify({ type, origin, crossOrigin: false, ...fields }));
}

function authenticatorData({ host }: { host: string }, flags: number): Buffer {
  return Buffer.concat([sha256(Buffer.from(host)), Buffer.from([flags]), Buffer.alloc(4)]);
}

function signatureOf({ privateKey }: Keys, authData: Buffer, clientHash: Buffer): Buffer {
  return sign('sha256', Buffer.concat([authData, clientHash]), { key: KeyObject.from(privateKey), dsaEncoding: 'der' });
}

function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}
