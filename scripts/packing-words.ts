import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { kindOf, KINDS, MAX_CODE_BITS, Phrases } from '../src/kit/packing-codes.ts';
import { separate } from '../src/kit/packing-values.ts';
import { ARCHIVE, type Facts, FACTS } from '../test/upgrade/facts.ts';
import { unpack } from '../test/upgrade/archive.ts';
import { generated, type Json, SHAPES } from './packing-texts.ts';

/**
 * `node scripts/run.mjs scripts/packing-words.ts FILE`: makes a dictionary for src/kit/packing.ts from generated texts, so that it
 * contains no personal data. The same source gives the same dictionary. Stored rows depend on their dictionary for ever: a better one
 * gets the next number and a separate file, and the others are not changed.
 */
const file = process.argv[2];
if (!file) throw new Error('name the file to write');

const MAX_PHRASES = 900;
const MAX_PHRASE_LENGTH = 250;
/** Number of pairs that are joined in one pass. A single pair would be exact, but slow. */
const JOINED_AT_ONCE = 12;
/** Minimum number of texts with a phrase, so that it cannot be a value of one text. */
const MIN_TEXTS = 6;
/** Assumed cost of a symbol in bits, before the codes are computed. */
const PHRASE_BITS = 9;
const BYTE_BITS = 5;
/** Weight of a symbol in the texts. Bytes that the texts lack get a long code. */
const SEEN_WEIGHT = 32;
const SYMBOLS = 257;

/** Objects as the API returned them for the generated data of test/upgrade, each in the form of an event. */
function recorded(): Json[] {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pirogue-words-'));
  try {
    unpack(fs.readFileSync(ARCHIVE), folder);
    const facts = JSON.parse(fs.readFileSync(path.join(folder, FACTS), 'utf8')) as Facts;
    return facts.answers.filter(({ path: route }) => route.startsWith('/events/')).map(({ body }) => body.event as Json);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the texts in bytes, as the coder receives them. */
function corpus(): string[] {
  const texts = generated([...SHAPES, ...recorded().map((shape) => ({ shape, times: 3 }))]);
  return texts.map((text) => Buffer.from(separate(text)?.text ?? '').toString('latin1'));
}

/** Joins the most frequent neighbours repeatedly. */
function candidates(texts: readonly string[]): string[] {
  const parts = texts.map((text) => [...text]);
  const found = new Set<string>();
  for (let pass = 0; pass < 400; pass++) {
    const counts = new Map<string, number>();
    for (const list of parts) {
      const seen = new Set<string>();
      for (let i = 0; i + 1 < list.length; i++) {
        const pair = (list[i] as string) + list[i + 1];
        if (pair.length <= MAX_PHRASE_LENGTH && !seen.has(pair)) counts.set(pair, (counts.get(pair) ?? 0) + 1);
        seen.add(pair);
      }
    }
    const best = [...counts].filter(([, count]) => count >= MIN_TEXTS);
    best.sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
    if (best.length === 0) break;
    const joined = new Set(best.slice(0, JOINED_AT_ONCE).map(([pair]) => pair));
    for (const pair of joined) found.add(pair);
    for (const [i, list] of parts.entries()) parts[i] = joinedParts(list, joined);
  }
  return [...found].filter((phrase) => phrase.length >= 3);
}

function joinedParts(list: readonly string[], joined: ReadonlySet<string>): string[] {
  const result: string[] = [];
  for (let i = 0; i < list.length; i++) {
    const pair = i + 1 < list.length ? (list[i] as string) + list[i + 1] : '';
    if (joined.has(pair)) i++;
    result.push(joined.has(pair) ? pair : (list[i] as string));
  }
  return result;
}

/** Keeps the phrases that save most. Without the removed ones, others are used more often. */
function chosen(texts: readonly string[], all: readonly string[]): string[] {
  let phrases = [...all].sort();
  for (;;) {
    const finder = new Phrases(phrases);
    const uses = phrases.map(() => 0);
    for (const text of texts) {
      for (const symbol of finder.symbolsOf(text))
        if (symbol >= SYMBOLS) uses[symbol - SYMBOLS] = (uses[symbol - SYMBOLS] ?? 0) + 1;
    }
    const saved = phrases.map((phrase, i) => ({
      phrase,
      bits: (uses[i] ?? 0) * (phrase.length * BYTE_BITS - PHRASE_BITS),
      uses: uses[i] ?? 0,
    }));
    const useful = saved
      .filter(({ uses: n }) => n >= MIN_TEXTS)
      .sort((a, b) => b.bits - a.bits || (a.phrase < b.phrase ? -1 : 1));
    const kept = useful.slice(0, Math.max(MAX_PHRASES, Math.floor(useful.length * 0.8))).map(({ phrase }) => phrase);
    if (kept.length === phrases.length) return kept.sort();
    phrases = kept.sort();
  }
}

/**
 * Returns the field names that are not a phrase on their own. A release that adds a field between two others breaks the long phrases
 * around it; without these names, its neighbours would be coded letter by letter.
 */
function namesBeside(texts: readonly string[], phrases: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const text of texts) {
    const names = new Set([...text.matchAll(/"([a-z][a-z0-9_]+)":/g)].map(([, name]) => name as string));
    for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const known = new Set(phrases);
  return [...counts].filter(([name, count]) => count >= MIN_TEXTS && name.length >= 3 && !known.has(name)).map(([name]) => name);
}

/** Returns the lengths of the codes of a kind (Huffman), limited to the maximum. */
function lengthsOf(counts: readonly number[]): string {
  for (let weights = [...counts]; ; weights = weights.map((weight) => Math.ceil(weight / 2))) {
    const lengths = huffman(weights);
    if (Math.max(...lengths) <= MAX_CODE_BITS) return lengths.map((length) => length.toString(36)).join('');
  }
}

function huffman(weights: readonly number[]): number[] {
  const depths = weights.map(() => 0);
  let nodes = weights.map((weight, symbol) => ({ weight, symbols: [symbol] }));
  nodes.sort((a, b) => a.weight - b.weight);
  while (nodes.length > 1) {
    const [one, two, ...rest] = nodes as [(typeof nodes)[0], (typeof nodes)[0], ...typeof nodes];
    const symbols = [...one.symbols, ...two.symbols];
    for (const symbol of symbols) depths[symbol] = (depths[symbol] ?? 0) + 1;
    const weight = one.weight + two.weight;
    const place = rest.findIndex((node) => node.weight > weight);
    rest.splice(place === -1 ? rest.length : place, 0, { weight, symbols });
    nodes = rest;
  }
  return depths;
}

const texts = corpus();
const saving = chosen(texts, candidates(texts));
const phrases = [...saving, ...namesBeside(texts, saving)].sort();
const finder = new Phrases(phrases);
const counts = Array.from({ length: KINDS }, () => Array<number>(SYMBOLS + phrases.length).fill(1));
for (const text of texts) {
  let kind = 0;
  for (const symbol of [...finder.symbolsOf(text), SYMBOLS - 1]) {
    (counts[kind] as number[])[symbol] = (counts[kind]?.[symbol] ?? 0) + SEEN_WEIGHT;
    const bytes = symbol < SYMBOLS ? String.fromCharCode(symbol) : (phrases[symbol - SYMBOLS] as string);
    kind = kindOf(bytes.charCodeAt(bytes.length - 1));
  }
}
const made = { about: 'Generated by scripts/packing-words.ts from generated texts. Stored rows need it: it never changes.' };
fs.writeFileSync(file, `${JSON.stringify({ ...made, lengths: counts.map(lengthsOf), phrases }, null, 2)}\n`);
console.log(`${texts.length} texts, ${phrases.length} phrases, ${phrases.join('').length} bytes`);
