import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { Registry, type TestProvider } from '../setup/providers.ts';
import { newPayment, Payer } from '../api/checkout.payer.ts';
import { type Api, startApi } from '../setup/api.ts';
import { DESKTOP, type Found, newVisitor, openBrowser } from '../setup/browser.ts';

/** `PICTURES=docs/pictures npm test -- test/browser/checkout.look.test.ts` renews those of the documentation. */
const FOLDER = process.env.PICTURES ?? '.cache/pictures';
const HANDSET = { width: 390, height: 720 };
const SMALLEST = { width: 320, height: 640 };

/** By what the payer typed: stays under way, fails, or is not reachable. */
const provider: TestProvider = {
  name: 'posing',
  collects: () => true,
  submit: async ({ payer, channel, amount_minor, currency }) => {
    if (payer?.endsWith('1')) return { kind: 'refused', reason: 'insufficient_funds', message: 'no' };
    if (payer?.endsWith('2')) return { kind: 'unavailable', message: 'closed' };
    if (payer?.endsWith('3')) return { kind: 'unknown', message: 'no answer' };
    if (payer?.startsWith('card_visa')) return { kind: 'succeeded', provider_ref: 'p', amount_minor, currency };
    const instructions = { bank: 'Afriland First Bank', account_number: '10005 00001 02345678901 28', reference: 'PRG-7K2M9' };
    const next =
      channel.kind === 'bank'
        ? ({ kind: 'transfer', instructions } as const)
        : channel.kind === 'card'
          ? ({ kind: 'redirect', url: '/' } as const)
          : ({ kind: 'confirm' } as const);
    return { kind: 'accepted', provider_ref: 'p', next, poll_after_ms: 3_600_000 };
  },
  read: async () => ({ kind: 'pending', poll_after_ms: 3_600_000 }),
};

const found: Found = await openBrowser();
let api: Api;
before(async () => {
  fs.mkdirSync(FOLDER, { recursive: true });
  api = await startApi({ providers: new Registry({ sandbox: [provider], live: [provider] }) });
});
after(async () => {
  await found.browser?.close();
  await api.stop();
});

interface Pose {
  payment?: object;
  options?: BrowserContextOptions;
  /** Leads the page to what is pictured. */
  lead?: (page: Page, id: string, url: string) => Promise<unknown>;
}

const pay = async (page: Page) => {
  const loaded = page.waitForEvent('load');
  await page.locator('details[open] form button').click();
  await loaded;
};
const open = (page: Page, way: string) => page.locator('summary', { hasText: way }).click();
const phone = (number: string) => async (page: Page) => {
  await page.locator('#phone').fill(number);
  await pay(page);
};
const card = (number: string) => async (page: Page) => {
  await open(page, 'Card');
  for (const [name, text] of [
    ['number', number],
    ['expiry', '12/30'],
    ['cvc', '123'],
  ])
    await page.locator(`#${name}`).fill(text as string);
  await pay(page);
};
const claimed = (number: string) => async (page: Page, _: string, url: string) => {
  await new Payer(url).json({ channel: 'cm.mtn', data: { phone: number } });
  await page.goto(url);
};
const ITEMS = [{ name: 'Panier de mangues', quantity: 2 }, { name: 'Livraison à Bonanjo' }];

const POSES: Record<string, Pose> = {
  'checkout-en': {},
  'checkout-fr': {
    payment: { bearer: 'customer', description: 'Deux paniers de mangues', items: ITEMS },
    options: { locale: 'fr-CM', viewport: SMALLEST },
    lead: (page) => open(page, 'Votre commande'),
  },
  'checkout-desktop': { options: { viewport: DESKTOP } },
  'checkout-card': { lead: (page) => open(page, 'Card') },
  'checkout-bank': { lead: (page) => open(page, 'Bank transfer'), payment: { bearer: 'customer' } },
  'checkout-no-script': {
    options: { javaScriptEnabled: false, viewport: SMALLEST },
    payment: { currency: 'XOF', phone: '+221770000000' },
  },
  'wrong-number': { lead: phone('12') },
  'not-reachable': { lead: phone('650000002') },
  waiting: { lead: phone('650000000') },
  'waiting-transfer': {
    lead: async (page) => {
      await open(page, 'Bank transfer');
      await page.locator('#account').fill('1000200034');
      await pay(page);
    },
  },
  checking: { lead: phone('650000003') },
  'verify-card': { lead: card('4000002500003155') },
  'result-succeeded': { lead: card('4242424242424242') },
  'result-failed-fr': { options: { locale: 'fr-CM' }, lead: phone('650000001') },
  'result-cancelled': {
    lead: async (page, id) => {
      await api.call('DELETE', `/payments/${id}`);
      await page.reload();
    },
  },
  elsewhere: { lead: claimed('650000000') },
  'take-over': { lead: claimed('650000002') },
  'not-found': { lead: (page, _, url) => page.goto(`${url}x`) },
};

describe('every page, as it looks', { skip: found.missing ?? false, concurrency: 4 }, () => {
  for (const [name, pose] of Object.entries(POSES)) test(name, () => picture(name, pose));
});

async function picture(name: string, { payment, options, lead }: Pose): Promise<void> {
  const { url, id } = await newPayment(api, {
    phone: '+237650000000',
    description: 'Two baskets of mangoes',
    reference: 'ORDER-1042',
    callback: 'https://shop.example/',
    ...payment,
  });
  const browser = found.browser as NonNullable<Found['browser']>;
  const { page, context, complaints } = await newVisitor(browser, { viewport: HANDSET, deviceScaleFactor: 1.5, ...options });
  await page.goto(url);
  await lead?.(page, id, url);
  await page.mouse.move(0, 0);
  await page.screenshot({ path: path.join(FOLDER, `${name}.png`), fullPage: true, animations: 'disabled' });
  assert.deepEqual(complaints, []);
  assert.deepEqual(await page.evaluate(FAULTS), []);
  await context.close();
}

/** Runs in the page: what is cut off, too small for a thumb (44 px) or too pale to read (4.5:1). */
const FAULTS = `(() => {
  const faults = [];
  if (document.documentElement.scrollWidth > innerWidth) faults.push('wider than the screen');
  const shown = (element) => element.checkVisibility();
  for (const control of [...document.querySelectorAll('button, summary, select, a.button, input:not([type=hidden])')].filter(shown)) {
    const { width, height } = control.getBoundingClientRect();
    if (height < 44 || width < 44) faults.push('small: ' + control.outerHTML.slice(0, 80) + ' ' + width + 'x' + height);
  }
  const numbers = (color) => (color.match(/[\\d.]+/g) ?? []).map(Number);
  const light = (color) => {
    const [r, g, b] = numbers(color).map((part) => part / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    const color = element ? getComputedStyle(element).backgroundColor : 'rgb(255, 255, 255)';
    return numbers(color)[3] === 0 ? behind(element.parentElement) : color;
  };
  for (const element of [...document.body.querySelectorAll('*')].filter(shown)) {
    const text = [...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data).join('').trim();
    if (!text || /^(SCRIPT|STYLE|NOSCRIPT|OPTION|OPTGROUP)$/.test(element.tagName)) continue;
    const [a, b] = [light(getComputedStyle(element).color), light(behind(element))].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < 4.5) faults.push('pale: ' + text + ' ' + ((a + 0.05) / (b + 0.05)).toFixed(2));
  }
  if (document.querySelectorAll('h1').length !== 1) faults.push('not exactly one h1');
  for (const control of document.querySelectorAll('input:not([type=hidden]), select')) if (control.labels.length !== 1) faults.push('no label: ' + control.name);
  const ids = [...document.querySelectorAll('[id]')].map((element) => element.id);
  if (new Set(ids).size !== ids.length) faults.push('an id twice');
  return faults;
})()`;
