import { ConfigError } from '../../kit/config-error.ts';

/** Environment variables of a process. */
export type Env = Record<string, string | undefined>;

/**
 * Builds the error of an invalid variable.
 * @param value shown in the message, so never a secret
 * @param wanted the valid values, in words
 */
export function wrong(name: string, value: string, wanted: string): ConfigError {
  return new ConfigError(`${name}=${value} cannot be used: it must be ${wanted}`);
}

/**
 * Reads a variable that has one of several values.
 * @throws ConfigError when the value is invalid
 */
export function oneOf<T extends string>(env: Env, name: string, allowed: readonly T[], fallback: T): T {
  const value = env[name] || fallback;
  const found = allowed.find((candidate) => candidate === value);
  if (!found) throw wrong(name, value, `one of ${allowed.join(', ')}`);
  return found;
}

/**
 * Reads a whole number within bounds, both inclusive.
 * @throws ConfigError when the value is invalid
 */
export function integer(env: Env, name: string, fallback: number, least: number, most: number): number {
  const value = env[name] || String(fallback);
  const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
  if (!(number >= least && number <= most)) throw wrong(name, value, `a whole number from ${least} to ${most}`);
  return number;
}

const UNITS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * Reads a list of durations, separated by commas.
 * @returns milliseconds
 * @throws ConfigError when the value is invalid
 */
export function durations(env: Env, name: string, fallback: string): number[] {
  const value = env[name] || fallback;
  return value
    .split(',')
    .map((item) => parseDuration(item.trim()) ?? fail(wrong(name, value, `a list of durations such as ${fallback}`)));
}

/**
 * Reads a duration.
 * @returns milliseconds
 * @throws ConfigError when the value is invalid
 */
export function duration(env: Env, name: string, fallback: string): number {
  const value = env[name] || fallback;
  return parseDuration(value) ?? fail(wrong(name, value, `a duration such as ${fallback} or 0s`));
}

/**
 * Parses a duration such as `90s`, `25h` or `2d`.
 * @returns milliseconds, or null for any other text
 */
export function parseDuration(text: string): number | null {
  const match = /^(\d{1,7})(ms|s|m|h|d)$/.exec(text);
  return match ? Number(match[1]) * (UNITS[match[2] as string] as number) : null;
}

/**
 * Reads a percentage.
 * @returns hundredths of a percent
 * @throws ConfigError when the value is invalid
 */
export function percent(env: Env, name: string, fallback: string): number {
  const value = env[name] || fallback;
  if (!/^\d{1,2}(\.\d{1,2})?$/.test(value)) throw wrong(name, value, `a percentage such as ${fallback}`);
  return Math.round(Number(value) * 100);
}

function fail(error: ConfigError): never {
  throw error;
}
