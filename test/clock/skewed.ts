/** Loaded before a program (`--import`): its machine's clock is so many milliseconds ahead. */
const ahead_ms = Number(process.env.CLOCK_AHEAD_MS);
const RealDate = Date;

globalThis.Date = class extends RealDate {
  constructor(...parts: [] | [number | string | Date]) {
    super(...((parts.length === 0 ? [RealDate.now() + ahead_ms] : parts) as [number]));
  }

  static override now(): number {
    return RealDate.now() + ahead_ms;
  }
} as DateConstructor;
