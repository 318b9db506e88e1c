import fs from 'node:fs';
import path from 'node:path';
import { type Block, ROOT } from './blocks.ts';

const EXAMPLES = path.join(ROOT, 'examples');
const ENDINGS: Partial<Record<Block['language'], string>> = { ts: '.ts', python: '.py', php: '.php', go: '.go' };

/**
 * The example a block is taken from, letter for letter: the tests of examples hold it. Throws for a sample in a language that
 * is not run by itself and that no example has, because nobody would notice when it is wrong.
 * @returns the file, or undefined for a block that runs by itself
 */
export function excerpt({ language, text, place }: Block): string | undefined {
  const ending = ENDINGS[language];
  if (!ending) return undefined;
  const files = fs.globSync(path.join(EXAMPLES, `**/*${ending}`)).sort();
  const file = files.find((name) => fs.readFileSync(name, 'utf8').includes(text.trim()));
  if (!file && language !== 'ts') throw new Error(`${place}: no file of examples/ has this, letter for letter`);
  return file;
}
