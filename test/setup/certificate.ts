import { generateKeyPairSync, sign } from 'node:crypto';

/** A key and a certificate for TLS servers of tests, both in PEM. */
export interface Certificate {
  key: string;
  cert: string;
}

/** A self-signed certificate for 127.0.0.1 and a name, made here because openssl is not everywhere. */
export function selfSigned(host = 'localhost'): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'));
  const name = sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(host)))));
  const year = 365 * 86_400_000;
  const names = sequence(der(0x82, Buffer.from(host)), der(0x87, Buffer.from([127, 0, 0, 1])));
  const content = sequence(
    der(0xa0, integer(2)),
    integer(Date.now()),
    ecdsaWithSha256,
    name,
    sequence(time(Date.now() - year), time(Date.now() + year)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(sequence(oid('551d11'), der(0x04, names)))),
  );
  const signature = der(0x03, Buffer.from([0]), sign('sha256', content, privateKey));
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: pem(sequence(content, ecdsaWithSha256, signature)),
  };
}

/** One value of ASN.1: tag, length, content. */
function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const length =
    content.length < 128 ? Buffer.from([content.length]) : Buffer.from([0x82, content.length >> 8, content.length & 0xff]);
  return Buffer.concat([Buffer.from([tag]), length, content]);
}

function sequence(...parts: Buffer[]): Buffer {
  return der(0x30, ...parts);
}

function oid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'));
}

/** Not negative, below 2^48. */
function integer(value: number): Buffer {
  const bytes = Buffer.alloc(7);
  bytes.writeUIntBE(value, 1, 6);
  const first = bytes.findIndex((byte) => byte !== 0);
  const start = first === -1 ? 6 : (bytes[first] as number) >= 128 ? first - 1 : first;
  return der(0x02, bytes.subarray(start));
}

/** UTCTime, which is right until 2049. */
function time(at: number): Buffer {
  const text = new Date(at).toISOString().replace(/\D/g, '').slice(2, 14);
  return der(0x17, Buffer.from(`${text}Z`));
}

function pem(content: Buffer): string {
  return `-----BEGIN CERTIFICATE-----\n${content.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`;
}
