import { uuidOf } from '../../kit/ids.ts';
import { packWhole, unpack } from '../../kit/packing.ts';

/*
 * Packed form of the text of an archived payment. Most of the text consists of identifiers, which no dictionary contains: repeated ids,
 * keys that adapters derive from them, and hashes. Each is replaced by a placeholder. Values that cannot be derived from an id are stored
 * in binary. The packed form has the number of this form in one byte, the length of the binary values, these values, and the rest of the
 * text, packed like other JSON (src/kit/packing.ts). JSON has no unescaped control characters, so a placeholder is never part of the text.
 */

const FORM = 1;
/** Placeholders. JSON never contains these characters unescaped; packing has its own. */
const AGAIN = '\u0004';
const UUID = '\u0005';
const BARE_UUID = '\u0006';
const HASH = '\u0007';
const BASE64 = '\u0008';

const ID = '[a-z]{2,4}_(?:test_)?[0-7][0-9a-hjkmnp-tv-z]{25}(?![0-9a-z])';
/** An id of ours; a UUID with or without hyphens; a hash of 16 bytes in base64url; other bytes in base64. */
const VALUES = new RegExp(
  [ID, '"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"', '"[0-9a-f]{32}"', '"[\\w-]{22}"', '"[A-Za-z0-9+/]{12,344}={0,2}"'].join(
    '|',
  ),
  'g',
);
const PLACEHOLDERS = new RegExp([ID, `[${AGAIN}-${BASE64}]`].join('|'), 'g');
/** Length of a hash, and the largest length that a byte can hold. */
const HASH_BYTES = 16;
const MAX_BYTES = 255;
const MAX_BINARY = 65_535;

/** Returns the packed form of the text of an archived payment. */
export function packArchived(text: string): Buffer {
  const values: Buffer[] = [];
  let last = '';
  const rest = text.replace(VALUES, (found) => {
    if (!found.startsWith('"')) {
      const again = found === last;
      last = found;
      return again ? AGAIN : found;
    }
    const value = found.slice(1, -1);
    if (value === uuidOf(last)) return UUID;
    if (value === uuidOf(last).replaceAll('-', '')) return BARE_UUID;
    return hashOf(value, values) ?? bytesOf(value, values) ?? found;
  });
  const binary = Buffer.concat(values);
  const head = Buffer.from([FORM, 0, 0]);
  // No payment has so many values. Such a text is packed as a whole.
  if (binary.length > MAX_BINARY) return Buffer.concat([head, packWhole(text)]);
  head.writeUInt16BE(binary.length, 1);
  return Buffer.concat([head, binary, packWhole(rest)]);
}

function hashOf(value: string, values: Buffer[]): string | null {
  const bytes = Buffer.from(value, 'base64url');
  if (bytes.length !== HASH_BYTES || bytes.toString('base64url') !== value) return null;
  values.push(bytes);
  return HASH;
}

function bytesOf(value: string, values: Buffer[]): string | null {
  const bytes = Buffer.from(value, 'base64');
  if (bytes.length > MAX_BYTES || bytes.toString('base64') !== value) return null;
  values.push(Buffer.of(bytes.length), bytes);
  return BASE64;
}

/**
 * Returns the text that was packed.
 * @throws Error for an unknown form
 */
export function unpackArchived(packed: Buffer): string {
  if (packed[0] !== FORM) throw new Error(`impossible: an archived payment of form ${packed[0]}`);
  const length = packed.readUInt16BE(1);
  const values = packed.subarray(3, 3 + length);
  const text = unpack(packed.subarray(3 + length));
  let last = '';
  let at = 0;
  const take = (bytes: number) => {
    at += bytes;
    return values.subarray(at - bytes, at);
  };
  return text.replace(PLACEHOLDERS, (found) => {
    switch (found) {
      case AGAIN:
        return last;
      case UUID:
        return `"${uuidOf(last)}"`;
      case BARE_UUID:
        return `"${uuidOf(last).replaceAll('-', '')}"`;
      case HASH:
        return `"${take(HASH_BYTES).toString('base64url')}"`;
      case BASE64:
        return `"${take(take(1)[0] as number).toString('base64')}"`;
      default:
        last = found;
        return found;
    }
  });
}
