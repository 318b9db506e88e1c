import { spawn } from 'node:child_process';

/** Linux and everything like it has xdg-open. No shell: an address may hold what one would act on. */
const OPENERS: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Whatever the opener is waiting for, we are not. */
const PATIENCE_MS = 2_000;

/** @returns whether something took the address; false on machines without a browser */
export function openInBrowser(address: string): Promise<boolean> {
  const url = URL.parse(address);
  if (!url || !/^https?:$/.test(url.protocol)) return Promise.resolve(false);
  const [program, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  return new Promise((resolve) => {
    const child = spawn(program, [...args, url.href], { stdio: 'ignore', detached: true });
    const timer = setTimeout(() => resolve(true), PATIENCE_MS);
    const end = (opened: boolean) => {
      clearTimeout(timer);
      resolve(opened);
    };
    child.once('error', () => end(false));
    child.once('exit', (code) => end(code === 0));
    child.unref();
  });
}
