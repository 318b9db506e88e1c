import fs from 'node:fs';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';

/** Where pictures are kept: `PICTURES=docs/pictures npm test -- test/checkout/look.browser.test.ts`; null: none are made. */
const FOLDER = process.env.PICTURES ?? null;

/** Those that stand together in the README. */
const BEST = ['checkout-themed', 'waiting', 'waiting-transfer', 'result-succeeded'];

/** The whole page as WebP, a tenth of what the same picture weighs as PNG. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  if (FOLDER === null) return;
  fs.mkdirSync(FOLDER, { recursive: true });
  await page.mouse.move(0, 0);
  await page
    .addStyleTag({ content: '*, ::after { animation: none !important; transition: none !important; caret-color: transparent }' })
    .catch(() => null);
  const session = await page.context().newCDPSession(page);
  const { cssContentSize } = await session.send('Page.getLayoutMetrics');
  const { data } = await session.send('Page.captureScreenshot', {
    format: 'webp',
    quality: 80,
    captureBeyondViewport: true,
    clip: { x: 0, y: 0, width: cssContentSize.width, height: cssContentSize.height, scale: 1 },
  });
  fs.writeFileSync(path.join(FOLDER, `${name}.webp`), Buffer.from(data, 'base64'));
}

/** The best side by side, as telephones stand on a counter. */
export async function keepOverview(browser: Browser): Promise<void> {
  const folder = FOLDER;
  if (folder === null || BEST.some((name) => !fs.existsSync(path.join(folder, `${name}.webp`)))) return;
  const page = await browser.newPage({ viewport: { width: 1280, height: 700 }, deviceScaleFactor: 1.5 });
  const shown = BEST.map((name) => {
    const data = fs.readFileSync(path.join(folder, `${name}.webp`)).toString('base64');
    return `<div><img src="data:image/webp;base64,${data}"></div>`;
  });
  await page.setContent(`<style>
    body { margin: 0; padding: 36px; display: flex; gap: 28px; justify-content: center; background: #dfe7ec }
    div { width: 270px; height: 584px; overflow: hidden; border: 8px solid #11212d; border-radius: 30px; background: #eef2f4 }
    img { display: block; width: 100% }
  </style>${shown.join('')}`);
  await keepPicture(page, 'overview');
  await page.close();
}
