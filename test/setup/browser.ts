import fs from 'node:fs';
import path from 'node:path';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type LaunchOptions,
  type Page,
  type Request,
} from 'playwright-core';

/** Extracted once for each version; git ignores it. */
const CACHE = path.resolve('.cache');
const PACKAGE = path.resolve('node_modules/@sparticuz/chromium');
const STEP_LIMIT_MS = 90_000;
const INSTALLED = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** A real browser, or why this platform has none: tests are then skipped with that reason. */
export type Found = { browser: Browser; missing?: undefined } | { browser?: undefined; missing: string };

/** The browser of node_modules (Linux on x64), else one that is installed. */
export async function openBrowser(): Promise<Found> {
  const failures: string[] = [];
  for (const candidate of candidates()) {
    try {
      return { browser: await chromium.launch({ headless: true, ...(await candidate()) }) };
    } catch (error) {
      failures.push((error as Error).message.split('\n')[0] ?? '');
    }
  }
  const missing = `no browser runs here, so the pages were not tested in one (${failures.join('; ')})`;
  // Where a package brings the browser, its absence is a fault and no reason to skip.
  if (isPackaged()) throw new Error(missing);
  console.warn(missing);
  return { missing };
}

function candidates(): (() => Promise<LaunchOptions>)[] {
  const installed = INSTALLED.filter((file) => fs.existsSync(file)).map((file) => async () => ({ executablePath: file }));
  const chrome = async () => ({ channel: 'chrome' });
  if (!isPackaged()) return [...installed, chrome];
  // The second time with the libraries of the package, for systems that lack NSS.
  return [() => bundled(false), () => bundled(true), ...installed, chrome];
}

function isPackaged(): boolean {
  return process.platform === 'linux' && process.arch === 'x64';
}

async function bundled(withLibraries: boolean): Promise<LaunchOptions> {
  const folder = await extracted();
  const env = { ...process.env, FONTCONFIG_FILE: path.join(folder, 'fonts.conf') } as Record<string, string>;
  if (withLibraries) env.LD_LIBRARY_PATH = path.join(folder, 'al2023/lib');
  return { executablePath: path.join(folder, 'chromium'), env };
}

/** Test files run at once: each extracts into a folder of its own, and the first to finish gives it the final name. */
async function extracted(): Promise<string> {
  const { version } = JSON.parse(fs.readFileSync(`${PACKAGE}/package.json`, 'utf8')) as { version: string };
  const folder = path.join(CACHE, `chromium-${version}`);
  if (fs.existsSync(folder)) return folder;
  const own = `${folder}.${process.pid}`;
  fs.mkdirSync(own, { recursive: true });
  await extractTo(own);
  fs.writeFileSync(path.join(own, 'fonts.conf'), fontsConf(folder));
  try {
    fs.renameSync(own, folder);
  } catch {
    fs.rmSync(own, { recursive: true, force: true });
  }
  return folder;
}

/** The package extracts to the temporary folder, and takes whatever already lies there for its own. */
async function extractTo(folder: string): Promise<void> {
  const before = process.env.TMPDIR;
  process.env.TMPDIR = folder;
  try {
    const { default: packed, inflate } = await import('@sparticuz/chromium');
    await packed.executablePath();
    await inflate(`${PACKAGE}/bin/al2023.tar.br`);
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
}

/** The package's Open Sans for every family, so that pictures look the same everywhere and no font need be installed. */
function fontsConf(folder: string): string {
  return `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>
<dir>${folder}/fonts/fonts</dir><dir>/usr/share/fonts</dir><cachedir>${folder}/font-cache</cachedir>
<match target="pattern"><edit name="family" mode="prepend" binding="strong"><string>Open Sans</string></edit></match>
</fontconfig>`;
}

/** One payer: a browser profile of their own, and everything that went wrong or over the wire in it. */
export interface Visitor {
  context: BrowserContext;
  page: Page;
  /** Console errors, refused content and uncaught exceptions; none may be there at the end. */
  complaints: string[];
  /** Bytes of each finished answer, headers included. */
  traffic: Promise<number>[];
}

export const PHONE = { width: 320, height: 640 } as const;
export const DESKTOP = { width: 1280, height: 900 } as const;

/** A browser profile with time for busy machines: Playwright gives each step 30 s. */
export async function newContext(browser: Browser | undefined, options: BrowserContextOptions): Promise<BrowserContext> {
  if (!browser) throw new Error('tests without a browser are skipped');
  const context = await browser.newContext(options);
  context.setDefaultTimeout(STEP_LIMIT_MS);
  return context;
}

export async function newVisitor(browser: Browser, options: BrowserContextOptions = {}): Promise<Visitor> {
  const context = await newContext(browser, { viewport: PHONE, locale: 'en-GB', ...options });
  const page = await context.newPage();
  const visitor: Visitor = { context, page, complaints: [], traffic: [] };
  page.on('console', (message) => {
    // The browser also reports the status of pages that are meant to have it, such as 422 and 410.
    if (message.type() === 'error' && !/Failed to load resource/.test(message.text())) visitor.complaints.push(message.text());
  });
  page.on('pageerror', (error) => visitor.complaints.push(String(error)));
  page.on('requestfinished', (request) => visitor.traffic.push(bytesOf(request)));
  return visitor;
}

/** Evaluates an expression in a page that may reload itself meanwhile: then in the next document. */
export async function evaluate(page: Page, expression: string): Promise<unknown> {
  for (;;) {
    try {
      return await page.evaluate(expression);
    } catch (error) {
      if (!/Execution context was destroyed/.test(String(error))) throw error;
      await page.waitForLoadState();
    }
  }
}

/** 0 when the browser was closed before it told: an answer that nobody waited for. */
async function bytesOf(request: Request): Promise<number> {
  const sizes = await request.sizes().catch(() => null);
  return sizes ? sizes.responseHeadersSize + sizes.responseBodySize : 0;
}
