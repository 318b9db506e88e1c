import dictionary from './packing-2.json' with { type: 'json' };
import { Coder } from './packing-codes.ts';
import { deflateWithWords, inflateWithWords } from './packing-deflate.ts';
import { combine, HOLE, separate } from './packing-values.ts';

export { HOLE } from './packing-values.ts';

/*
 * Stored form of our JSON: `2|2|cus_…`, a line feed, then the packed text. The first line has the number of the dictionary, and a value
 * for each placeholder (`HOLE`) in the text. These values are known only to the statement that writes the row (the number of endpoints,
 * the customer that was found), so that they come from its own snapshot. A value that starts with a brace is not packed.
 * Every dictionary stays readable for ever. Reasons: docs/decisions/0069-packing.md.
 */

/** Start of a stored text, followed by `|` and a value for each placeholder, and a line feed. */
export const MARK = '2';

const DEFLATED = '1';
const LINE_FEED = 0x0a;
const BRACE = 0x7b;
/** First byte of a packed text that is deflated. A coded one begins with a bit that is 0. */
const DEFLATED_BYTE = 0xff;
/** From this length on, a text may repeat itself so often that deflate, which refers to earlier parts of the text, is better. */
const MIN_DEFLATED_LENGTH = 2_000;

/** A longer text is only deflated, which takes a tenth of the time: texts of some kilobytes and more are few, and callers determine them. */
const MAX_CODED_LENGTH = 16_000;

const coder = new Coder(dictionary);

/**
 * Packs a text.
 * @param text JSON, with a {@link HOLE} for each value that only the statement can supply
 */
export function packText(text: string): Buffer {
  const separated = text.length > MAX_CODED_LENGTH ? null : separate(text);
  const coded = separated && Buffer.concat([coder.encode(separated.text), separated.values]);
  if (coded && text.length < MIN_DEFLATED_LENGTH) return coded;
  const deflated = Buffer.concat([Buffer.of(DEFLATED_BYTE), deflateWithWords(text)]);
  return coded && coded.length < deflated.length ? coded : deflated;
}

/** Returns the complete stored form of a text without placeholders. */
export function packWhole(text: string): Buffer {
  return Buffer.concat([Buffer.from(`${MARK}\n`), packText(text)]);
}

/**
 * Returns the text of a stored value with its placeholders filled: always the same bytes.
 * @throws Error for an unknown dictionary
 */
export function unpack(bytes: Buffer): string {
  if (bytes[0] === BRACE) return bytes.toString();
  const end = bytes.indexOf(LINE_FEED);
  const [number, ...values] = bytes.toString('latin1', 0, end).split('|');
  const packed = bytes.subarray(end + 1);
  if (number === DEFLATED) return filled(inflateWithWords(packed), values);
  if (number !== MARK) throw new Error(`impossible: packed with dictionary ${number}`);
  if (packed[0] === DEFLATED_BYTE) return filled(inflateWithWords(packed.subarray(1)), values);
  const { text, length } = coder.decode(packed);
  return combine({ text, values: packed.subarray(length) }, values);
}

/** The text may have characters that are placeholders of {@link combine}, so that it is not used here. */
function filled(text: string, values: readonly string[]): string {
  return text.split(HOLE).reduce((before, piece, i) => before + (values[i - 1] ?? '') + piece);
}
