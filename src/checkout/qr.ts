import { crc32, deflateSync } from 'node:zlib';
import { encodeQR } from 'qr';
import { type Html, html } from '../kit/html.ts';

/** On screen; a code of 39 modules is then two centimetres and a half on a desktop. */
const MODULE_PX = 4;
const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

/**
 * A code for a telephone's camera, as a picture in the page: one bit for each module weighs 310 bytes in a compressed
 * page, the same as SVG 500, and neither costs a request. Read from a screen, which has no scratches: the lowest
 * correction is enough. The style has to give it a white edge of four modules.
 */
export function qrCode(text: string, alt: string): Html {
  // The encoder insists on an edge of its own.
  const modules = encodeQR(text, 'raw', { ecc: 'low', border: 1 })
    .slice(1, -1)
    .map((row) => row.slice(1, -1));
  const side = modules.length * MODULE_PX;
  const picture = png(modules).toString('base64');
  return html`<img class="qr" src="data:image/png;base64,${picture}" width="${side}" height="${side}" alt="${alt}">`;
}

/** Black where true. One bit a pixel, as PNG has it: 1 is white. */
function png(modules: readonly boolean[][]): Buffer {
  const side = modules.length;
  const rows = modules.map((row) => {
    const bytes = Buffer.alloc(1 + Math.ceil(side / 8));
    for (const [x, dark] of row.entries()) if (!dark) bytes[1 + (x >> 3)] = (bytes[1 + (x >> 3)] as number) | (0x80 >> (x & 7));
    return bytes;
  });
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.writeUInt8(1, 8);
  const data = deflateSync(Buffer.concat(rows), { level: 9 });
  return Buffer.concat([SIGNATURE, chunk('IHDR', header), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))]);
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}
