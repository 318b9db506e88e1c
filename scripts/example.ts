import { createServer } from 'node:net';
import { readConfig } from '../src/platform/config/config.ts';
import { keysFilePath, readKeysFile } from '../src/program/start/demo.ts';

/**
 * `npm run example -- shop`: starts an example with the service of this machine and the sandbox key of its demo team. It checks the
 * key first, because a shop that fails at the first order looks broken.
 */
const EXAMPLES: Readonly<Record<string, { file: string; about: string }>> = {
  shop: { file: '../examples/shop-sdk/server.ts', about: 'a shop in TypeScript with the SDK' },
  'shop-fetch': { file: '../examples/shop-fetch/server.mjs', about: 'the same shop in JavaScript with fetch alone' },
};
/** Names of folders that are accepted as names of examples. */
const ALIASES: Readonly<Record<string, string>> = { 'shop-sdk': 'shop' };
const DEFAULT_PORT = 3000;
const ANSWER_MS = 10_000;

class UsageError extends Error {}

try {
  await main(process.argv[2]);
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(`example: ${error.message}`);
  process.exitCode = 1;
}

async function main(given: string | undefined): Promise<void> {
  if (given === undefined || given === '--help') return console.log(list());
  const example = EXAMPLES[ALIASES[given] ?? given];
  if (!example) throw new UsageError(`there is no example "${given}".\n\n${list()}`);
  const { url, key } = target();
  await checkKey(url, key);
  await checkPort(Number(process.env.PORT ?? DEFAULT_PORT));
  Object.assign(process.env, { PIROGUE_URL: url, PIROGUE_KEY: key });
  console.log(`Takes payments through ${url}; stop with Ctrl-C.`);
  await import(example.file);
}

function list(): string {
  const width = Math.max(...Object.keys(EXAMPLES).map((name) => name.length));
  const lines = Object.entries(EXAMPLES).map(([name, { about }]) => `  npm run example -- ${name.padEnd(width)}  ${about}`);
  return ['Examples, to be run beside npm start (examples/README.md):', ...lines].join('\n');
}

function target(): { url: string; key: string } {
  const config = readConfig({ DATA_DIR: process.env.DATA_DIR });
  const keys = readKeysFile(config);
  const url = process.env.PIROGUE_URL ?? keys?.base_url;
  const key = process.env.PIROGUE_KEY ?? keys?.sandbox.secret;
  if (url && key) return { url: url.replace(/\/+$/, ''), key };
  throw new UsageError(`${keysFilePath(config)} does not exist: run "npm start" first, or set PIROGUE_URL and PIROGUE_KEY.`);
}

async function checkKey(url: string, key: string): Promise<void> {
  const headers = { authorization: key };
  const answer = await fetch(`${url}/payments?per_page=1`, { headers, signal: AbortSignal.timeout(ANSWER_MS) }).catch(() => null);
  if (!answer) throw new UsageError(`the service at ${url} does not respond: run "npm start" in another terminal first.`);
  if (answer.ok) return;
  const { message = '' } = (await answer.json().catch(() => ({}))) as { message?: string };
  const origin = process.env.PIROGUE_KEY ? 'PIROGUE_KEY' : 'the key of keys.json';
  throw new UsageError(
    `${url} rejects ${origin}: ${answer.status} ${message}\nUnset PIROGUE_KEY to use the demo team's, or set it to a key of this service.`,
  );
}

function checkPort(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const taken = () => reject(new UsageError(`port ${port} is taken: choose another, such as PORT=${port + 1}.`));
    const server = createServer().once('error', taken);
    server.listen(port, '127.0.0.1', () => server.close(() => resolve()));
  });
}
