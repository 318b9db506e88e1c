/** Declared sides: a few kilobytes can unpack to gigabytes, and a weak phone would be gone. */
const LONGEST_SIDE = 1024;

interface Image {
  type: 'image/png' | 'image/jpeg' | 'image/webp';
  width: number;
  height: number;
}

/** What the bytes are, by themselves: null for anything that is no still picture of a size a page can bear. */
export function imageType(bytes: Buffer): Image['type'] | null {
  const image = png(bytes) ?? jpeg(bytes) ?? webp(bytes);
  if (!image || image.width < 1 || image.height < 1) return null;
  return image.width <= LONGEST_SIDE && image.height <= LONGEST_SIDE ? image.type : null;
}

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

function png(bytes: Buffer): Image | null {
  if (bytes.length < 33 || !bytes.subarray(0, PNG.length).equals(PNG)) return null;
  // An animation control chunk makes it an APNG: nothing may move that the payer can not stop (WCAG 2.2.2).
  if (bytes.includes('acTL')) return null;
  return { type: 'image/png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

/** Walks from segment to segment to the frame header, which has the size. */
function jpeg(bytes: Buffer): Image | null {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return null;
  for (let at = 2; at + 9 <= bytes.length && bytes[at] === 0xff; ) {
    const marker = bytes[at + 1] as number;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { type: 'image/jpeg', width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return null;
}

/** The three kinds of a WebP's first chunk; those that move are left out. */
function webp(bytes: Buffer): Image | null {
  if (bytes.length < 30 || bytes.toString('latin1', 0, 4) !== 'RIFF' || bytes.toString('latin1', 8, 12) !== 'WEBP') return null;
  const type = 'image/webp';
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return { type, width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    case 'VP8L': {
      const packed = bytes.readUInt32LE(21);
      return { type, width: (packed & 0x3fff) + 1, height: ((packed >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      if (((bytes[20] as number) & 2) !== 0) return null;
      return { type, width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    default:
      return null;
  }
}
