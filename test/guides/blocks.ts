import fs from 'node:fs';
import path from 'node:path';

/** What a fence of a guide may be called. `json` and `console` are what the block above them answers; `text` is only read. */
const LANGUAGES = ['sh', 'ts', 'json', 'console', 'python', 'php', 'go', 'text'] as const;
export type Language = (typeof LANGUAGES)[number];

/** A fenced block. */
export interface Block {
  language: Language;
  text: string;
  /** `docs/guides/refunds.md:12`, for whoever has to look. */
  place: string;
}

/** A block that does something, with what the guide says comes of it. */
export interface Step {
  block: Block;
  answer: Block | null;
}

export const ROOT = path.join(import.meta.dirname, '..', '..');
export const GUIDES = path.join(ROOT, 'docs', 'guides');

/** File names of all guides; README.md, which says how to read them, is not one. */
export function guideNames(): string[] {
  return fs
    .readdirSync(GUIDES)
    .filter((name) => name.endsWith('.md') && name !== 'README.md')
    .sort();
}

/** @returns the fenced blocks of a guide, from top to bottom; throws for a fence in no known language, or left open */
export function readBlocks(name: string): Block[] {
  return blocksOf(fs.readFileSync(path.join(GUIDES, name), 'utf8'), `docs/guides/${name}`);
}

export function blocksOf(markdown: string, file: string): Block[] {
  const blocks: Block[] = [];
  let open: Block | null = null;
  for (const [index, line] of markdown.split('\n').entries()) {
    const fence = /^\s*(?:```|~~~)(.*)$/.exec(line)?.[1];
    if (fence === undefined) {
      if (open) open.text += `${line}\n`;
    } else if (open) {
      blocks.push(open);
      open = null;
    } else {
      const place = `${file}:${index + 1}`;
      const language = LANGUAGES.find((known) => known === fence);
      if (!language) throw new Error(`${place}: "${fence}" is not one of ${LANGUAGES.join(', ')}`);
      open = { language, text: '', place };
    }
  }
  if (open) throw new Error(`${open.place}: the block is not closed`);
  return blocks;
}

/** Joins each block with the answer under it. Throws for an answer to nothing: nobody would check it. */
export function stepsOf(blocks: Block[]): Step[] {
  const steps: Step[] = [];
  for (const block of blocks) {
    if (block.language === 'text') continue;
    if (block.language === 'json' || block.language === 'console') {
      const step = steps.at(-1);
      if (!step || step.answer) throw new Error(`${block.place}: this answers no block`);
      step.answer = block;
    } else {
      steps.push({ block, answer: null });
    }
  }
  return steps;
}
