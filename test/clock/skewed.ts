import fs from 'node:fs';

/**
 * Loaded before a program (`--import`): its machine's clock is CLOCK_AHEAD_MS milliseconds ahead, or as many as the file
 * CLOCK_AHEAD_FILE contains at the moment.
 */
const READ_EVERY_MS = 100;
const { CLOCK_AHEAD_FILE: file, CLOCK_AHEAD_MS: fixed_ms = '0' } = process.env;
let ahead_ms = Number(fixed_ms);
const RealDate = Date;

if (file !== undefined) {
  const read = () => {
    const text = fs.readFileSync(file, 'utf8');
    // Empty while it is being written.
    if (text !== '') ahead_ms = Number(text);
  };
  read();
  setInterval(read, READ_EVERY_MS).unref();
}

globalThis.Date = class extends RealDate {
  constructor(...parts: [] | [number | string | Date]) {
    super(...((parts.length === 0 ? [RealDate.now() + ahead_ms] : parts) as [number]));
  }

  static override now(): number {
    return RealDate.now() + ahead_ms;
  }
} as DateConstructor;
