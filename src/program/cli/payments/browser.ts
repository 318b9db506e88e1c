import { spawn } from 'node:child_process';

/**
 * Programs that open a URL. Linux and similar systems have xdg-open. No shell is used, because a URL may contain shell
 * syntax.
 */
const OPENERS: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Maximum wait for the program. If it still runs then, the URL counts as opened. */
const PATIENCE_MS = 2_000;

/**
 * Opens a URL in the browser.
 * @returns whether a program accepted the URL; false on machines without a browser
 */
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
