/** Maximum declared side in pixels. A few kilobytes can decompress to gigabytes, which would crash a weak phone. */
const MAX_SIDE = 1024;

interface Image {
  type: 'image/png' | 'image/jpeg' | 'image/webp';
  width: number;
  height: number;
}

/** Detects the type of an image from its bytes. Returns null for anything other than a still image within the size limit. */
export function imageType(bytes: Buffer): Image['type'] | null {
  const image = png(bytes) ?? jpeg(bytes) ?? webp(bytes);
  if (!image || image.width < 1 || image.height < 1) return null;
  return image.width <= MAX_SIDE && image.height <= MAX_SIDE ? image.type : null;
}

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

function png(bytes: Buffer): Image | null {
  if (bytes.length < 33 || !bytes.subarray(0, PNG.length).equals(PNG)) return null;
  // An animation control chunk makes it an APNG. A page must not have motion that the payer cannot stop (WCAG 2.2.2).
  if (bytes.includes('acTL')) return null;
  return { type: 'image/png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

/** Reads segment by segment up to the frame header, which has the size. */
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

/** Reads the first chunk of a WebP file, which is one of three kinds. Animated images are rejected. */
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
