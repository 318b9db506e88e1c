import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { giveTo, serverAccount } from '../../src/platform/db/embedded/account.ts';

/** A folder in one compressed file: for each entry the length of its header, the header as JSON, and the content. */
interface Entry {
  name: string;
  mode: number;
  /** Undefined: a folder. */
  size?: number;
}

const LENGTH_BYTES = 4;

/** The databases of a cluster begin as copies of one another: a window that spans them makes the file a third of the size. */
const WINDOW_BITS = 27;

export function pack(folder: string, isWanted: (name: string) => boolean): Buffer {
  const names = fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => name.split(path.sep).join('/'))
    .filter(isWanted)
    .sort();
  const parts = names.flatMap((name) => {
    const file = path.join(folder, name);
    const stat = fs.statSync(file);
    const content = stat.isDirectory() ? Buffer.alloc(0) : fs.readFileSync(file);
    const entry: Entry = { name, mode: stat.mode & 0o777, ...(stat.isDirectory() ? {} : { size: content.length }) };
    const header = Buffer.from(JSON.stringify(entry));
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt32BE(header.length);
    return [length, header, content];
  });
  const whole = Buffer.concat(parts);
  return zlib.brotliCompressSync(whole, {
    params: {
      [zlib.constants.BROTLI_PARAM_LARGE_WINDOW]: 1,
      [zlib.constants.BROTLI_PARAM_LGWIN]: WINDOW_BITS,
      [zlib.constants.BROTLI_PARAM_SIZE_HINT]: whole.length,
    },
  });
}

/** Unpacks into a folder that is there; run as root, the cluster in it is given to the account that will run its server. */
export function unpack(archive: Buffer, folder: string): void {
  const whole = zlib.brotliDecompressSync(archive, { params: { [zlib.constants.BROTLI_DECODER_PARAM_LARGE_WINDOW]: 1 } });
  const account = serverAccount(path.join(folder, 'pg18'));
  for (let at = 0; at < whole.length; ) {
    const begin = at + LENGTH_BYTES;
    const end = begin + whole.readUInt32BE(at);
    const { name, mode, size } = JSON.parse(whole.toString('utf8', begin, end)) as Entry;
    const file = path.join(folder, name);
    if (size === undefined) fs.mkdirSync(file, { mode });
    else fs.writeFileSync(file, whole.subarray(end, end + size), { mode });
    if (name === 'pg18' || name.startsWith('pg18/')) giveTo(account, file);
    at = end + (size ?? 0);
  }
}
