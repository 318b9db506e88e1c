import { ConfigError } from '../../kit/config-error.ts';
import { isSafeInProduction, webAddress } from './addresses.ts';
import { type Env, wrong } from './read.ts';

/** Address of the console. */
export interface ConsoleAddress {
  /** Without a slash at its end; pages are below `<url>/console`. */
  url: string;
  /** Host that requests must name. Null: any, which development permits. */
  host: string | null;
}

/**
 * Parses CONSOLE_URL. In production the console is off until it is set, and its host must differ from the payers' host: a
 * vulnerability in a page of payers must not give access to the cookies of the console.
 * @throws ConfigError when the value is invalid
 */
export function consoleAddress(env: Env, profile: 'development' | 'production', public_url: string): ConsoleAddress | null {
  const value = env.CONSOLE_URL;
  if (value === 'off') return null;
  if (!value) return profile === 'production' ? null : { url: new URL(public_url).origin, host: null };
  const wanted = 'an https address without a path, such as https://console.shop.example, or off';
  const url = webAddress('CONSOLE_URL', value, wanted);
  if (url.pathname !== '/') throw wrong('CONSOLE_URL', value, wanted);
  if (profile === 'production' && !isSafeInProduction(url.origin)) {
    throw new ConfigError(`CONSOLE_URL is ${value}: PROFILE=production needs https (the cookies of sessions travel under it)`);
  }
  if (profile === 'production' && url.host === new URL(public_url).host) {
    throw new ConfigError(
      `CONSOLE_URL is ${value}: use another host than PUBLIC_URL, so that the console is apart from payers' pages`,
    );
  }
  return { url: url.origin, host: url.host };
}
