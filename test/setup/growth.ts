/** Below this nothing is compared: at the full length of a hostile text it is harmless. */
const HARMLESS_MS = 25;
/** Four times the text may take four times as long, and some for noise; in quadratic time it takes sixteen times. */
const MAX_RATIO = 9;
const RUNS = 3;
const TRIES = 5;
/** CPU time over which a run is averaged: some systems count it in steps of 4 ms. */
const AVERAGED_MS = 200;

/** Runs of what makes parsers, patterns and normalisation slow: each is repeated to the length that is asked for. */
export const HOSTILE_UNITS: Record<string, string> = {
  'combining marks in the wrong order': '\u0301\u0316',
  'halfwidth sound marks between others': '\uff9e\u0301',
  'a letter with marks': `e${'\u0301\u0316'.repeat(40)}`,
  'precomposed letters with marks': '\u1ed8\u0316\u0345',
  'expanding ligatures': '\ufdfa',
  digits: '1',
  'other digits': '\uff14\u0664',
  'single digits': '4 ',
  'groups of four': '4242-',
  'groups of dots': '1.2,3 ',
  spaces: ' ',
  'spaces of many kinds': '\u00a0\u2009\t\r\n',
  letters: 'a',
  'capital letters': 'aB',
  hexadecimal: 'deadbeef4242-',
  'words of letters and digits': 'a1.b2+c3~',
  'at signs': '@',
  'letters with at signs': 'a@',
  dots: '.',
  'labels of names': 'a.',
  'long labels': `${'a-'.repeat(31)}a.`,
  percent: '%',
  'percent escapes': '%e2%80%8b',
  'opening brackets': '[',
  'nested objects': '{"a":',
  quotes: '"',
  'pairs of quotes': '"a",',
  commas: ',',
  backslashes: '\\',
  underscores: '_',
  slashes: '/',
  colons: ':a',
  'equals signs': 'a=&',
  'plus and zeros': '+0',
  parentheses: '(-)',
  'angle brackets': '<a>&',
  'invisible characters': '\u200b\u00ad',
  'lone surrogates': '\ud800',
  'letters outside the basic plane': '\u{1d7d2}\u{1f4b3}',
  'letters of other scripts': '\u00fc\u4e00\u0628',
  'line ends': '\r\n',
  'prototype keys': '"__proto__" ',
};

/** The unit over and over, cut to exactly so many characters. */
export function hostile(unit: string, length: number): string {
  return unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
}

/**
 * Measures how the time of some work grows when its input becomes four times as long, at the first length at which there is
 * something to measure. A ratio of two measurements, never a duration, so that a slow machine changes nothing.
 * @param most characters of the longest input
 * @returns how many times as long it takes, or null when it is in proportion
 */
export function excessOf(work: (text: string) => unknown, textOf: (length: number) => string, most: number): number | null {
  const length = [most / 16, most].find((chars) => isSlow(work, textOf(chars)));
  if (length === undefined) return null;
  const [short, long] = [textOf(length / 4), textOf(length)];
  let ratio = 0;
  for (let tried = 0; tried < TRIES; tried++) {
    ratio = fastest(work, long) / fastest(work, short);
    if (ratio < MAX_RATIO) return null;
  }
  // On a busy machine a longer run is interrupted more often. CPU time shows whether that was all.
  ratio = cpuOf(work, long) / cpuOf(work, short);
  return ratio < MAX_RATIO ? null : ratio;
}

/**
 * Every run of it is slow, and takes that much CPU: other work on the machine can slow down several runs. Of what takes a millisecond, the
 * growth says more about caches than about the work.
 */
function isSlow(work: (text: string) => unknown, text: string): boolean {
  for (let run = 0; run < RUNS; run++) if (timeOf(work, text) < HARMLESS_MS) return false;
  return cpuOf(work, text) >= HARMLESS_MS;
}

function fastest(work: (text: string) => unknown, text: string): number {
  return Math.min(...Array.from({ length: RUNS }, () => timeOf(work, text)));
}

function timeOf(work: (text: string) => unknown, text: string): number {
  const started = performance.now();
  try {
    work(text);
  } catch {
    // Refusing it is an answer too.
  }
  return performance.now() - started;
}

/** CPU time of this thread for one run, in milliseconds. */
function cpuOf(work: (text: string) => unknown, text: string): number {
  const before = process.threadCpuUsage();
  for (let runs = 1; ; runs++) {
    timeOf(work, text);
    const { user, system } = process.threadCpuUsage(before);
    const spent_ms = (user + system) / 1000;
    if (spent_ms >= AVERAGED_MS) return spent_ms / runs;
  }
}
