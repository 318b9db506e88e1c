import { type Command, InvalidArgumentError } from 'commander';

/** URL of the service and the key to call it with. */
export interface ApiOptions {
  key?: string;
  url?: string;
}

/** Adds `--key` and `--url`. The key is validated later, because the parser would print a rejected one. */
export function addApiOptions(command: Command): Command {
  return command
    .option('--key <key>', 'sandbox key (default: PIROGUE_KEY, or the demo team of keys.json)')
    .option('--url <address>', 'address of the service (default: PIROGUE_URL, or that of npm start)', webAddress);
}

/**
 * Returns an http(s) URL. `localhost:3000/hook` means http.
 * @throws InvalidArgumentError
 */
export function webAddress(text: string): string {
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`);
  if (url && /^https?:$/.test(url.protocol) && url.hostname !== '' && url.username === '' && url.password === '') return url.href;
  throw new InvalidArgumentError('Use an address such as http://localhost:3000/hook.');
}
