import { inflateSync } from 'node:zlib';

/** A PDF as far as a reader that selects text goes. */
export interface ReadPdf {
  /** The text of all pages in the order it was written, a line for each piece. */
  text: string;
  /** What stands outside streams: dictionaries. */
  structure: string;
}

/** Reads what pdfkit writes: compressed streams, hexadecimal text in WinAnsi with kerning in between. */
export function readPdf(bytes: Uint8Array): ReadPdf {
  const file = Buffer.from(bytes).toString('latin1');
  const lines: string[] = [];
  // By its length: what is compressed may end in what looks like the end of a line.
  for (const { 0: head, 1: length, index } of file.matchAll(/\/Length (\d+)[^>]*>>\s*stream\r?\n/g)) {
    const start = index + head.length;
    const content = inflated(file.slice(start, start + Number(length)));
    for (const [, pieces] of content.matchAll(/\[([^\]]*)\] TJ/g)) lines.push(unkerned(pieces as string));
  }
  return { text: lines.join('\n'), structure: file.replace(/stream\r?\n[\s\S]*?endstream/g, '') };
}

function inflated(stream: string): string {
  try {
    return inflateSync(Buffer.from(stream, 'latin1')).toString('latin1');
  } catch {
    return '';
  }
}

function unkerned(pieces: string): string {
  const digits = [...pieces.matchAll(/<([0-9a-fA-F]*)>/g)].map(([, hex]) => hex).join('');
  return new TextDecoder('windows-1252').decode(Buffer.from(digits, 'hex'));
}
