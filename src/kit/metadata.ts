const MOST_KEYS = 50;
const MOST_BYTES = 16 * 1024;

/** Whether a merchant's free object is small enough to be kept and sent along. @returns what is wrong, or null */
export function checkMetadata(metadata: object): string | null {
  if (Object.keys(metadata).length > MOST_KEYS) return `must have at most ${MOST_KEYS} keys`;
  if (Buffer.byteLength(JSON.stringify(metadata)) > MOST_BYTES) return 'must be at most 16 KB';
  return null;
}
