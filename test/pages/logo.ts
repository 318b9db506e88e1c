import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { crc32, deflateSync } from 'node:zlib';
import { selfSigned } from '../setup/certificate.ts';

/** A PNG of a shop's mark: a white mango on the given colour. */
export function mark(side: number, [red, green, blue]: readonly [number, number, number]): Buffer {
  const rows = Array.from({ length: side }, (_, y) => {
    const row = Buffer.alloc(1 + side * 3);
    for (let x = 0; x < side; x++) {
      const [u, v] = [x / side - 0.5, y / side - 0.54];
      const fruit = (u / 0.26) ** 2 + (v / 0.3) ** 2 < 1;
      const leaf = ((u - 0.12) / 0.14) ** 2 + ((v + 0.34) / 0.07) ** 2 < 1;
      row.set(fruit || leaf ? [255, 255, 255] : [red, green, blue], 1 + x * 3);
    }
    return row;
  });
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set([8, 2], 8);
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const [length, check, body] = [Buffer.alloc(4), Buffer.alloc(4), Buffer.concat([Buffer.from(type), data])];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

export interface LogoHost {
  /** https on loopback, with a certificate nobody signed. */
  url: string;
  /** Paths that were asked for. */
  asked: string[];
  close(): void;
}

/** A merchant's server of pictures. @param pictures by path */
export async function startLogoHost(pictures: Record<string, Buffer>): Promise<LogoHost> {
  const asked: string[] = [];
  const server = https.createServer(selfSigned(), (request, response) => {
    const path = request.url ?? '';
    asked.push(path);
    const picture = pictures[path];
    if (path === '/moved') response.writeHead(302, { location: '/logo.png' }).end();
    else if (picture) response.writeHead(200, { 'content-type': 'image/png' }).end(picture);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, close: () => server.close() };
}
