import { normalized, withoutMarks } from '../../kit/unicode.ts';

/** Characters of WinAnsi that are not in Latin-1 (PDF 32000-1, annex D.2). */
const BESIDES = '€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ';

const KNOWN = new RegExp(`^[\\u0020-\\u007e\\u00a0-\\u00ff${BESIDES}]$`, 'u');

/** Spaces and signs with a similar character in WinAnsi. */
const NEIGHBOURS: Record<string, string> = { '\u202f': '\u00a0', '\u2009': ' ', '\u2212': '-', '\u2011': '-' };

/**
 * Returns the text in the characters of a PDF reader's built-in fonts: all of French, English and Portuguese, and Yoruba
 * without its dots. Scripts that the fonts lack, such as Arabic, become question marks; the page shows them.
 */
export function winAnsi(text: string): string {
  return [
    ...normalized(text, 'NFC')
      .replace(/\p{Cc}+/gu, ' ')
      .replace(/\p{Cf}/gu, ''),
  ]
    .map(letter)
    .join('');
}

function letter(character: string): string {
  if (KNOWN.test(character)) return character;
  const neighbour = NEIGHBOURS[character];
  if (neighbour !== undefined) return neighbour;
  const plain = withoutMarks(character, 'NFKD');
  if (plain === '' && /\p{M}/u.test(character)) return '';
  return plain !== '' && [...plain].every((part) => KNOWN.test(part)) ? plain : '?';
}
