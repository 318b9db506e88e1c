import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { Registry, type TestProvider } from '../setup/providers.ts';
import { newPayment, Payer } from './payer.ts';
import { type Api, startApi } from '../setup/api.ts';
import { sql } from '../../src/kit/sql.ts';
import { axeFaults } from '../pages/axe.ts';
import { type LogoHost, mark, startLogoHost } from '../pages/logo.ts';
import { keepOverview, keepPicture } from '../pages/pictures.ts';
import { DESKTOP, type Found, newVisitor, openBrowser } from '../setup/browser.ts';

const HANDSET = { width: 390, height: 720 };
const MIN = { width: 320, height: 640 };

/** Whose first piece has been collected. */
const begun = new Set<string>();

/** By what the payer typed: stays under way, fails, asks for a code, comes in pieces, or is not reachable. */
const provider: TestProvider = {
  name: 'posing',
  collects: () => true,
  submit: async ({ payer, channel, amount_minor, currency }) => {
    if (channel.id.endsWith('.wave')) {
      return {
        kind: 'accepted',
        provider_ref: 'p',
        next: { kind: 'redirect', url: 'https://pay.wave.com/c/x' },
        poll_after_ms: 3_600_000,
      };
    }
    if (payer?.endsWith('5')) return { kind: 'accepted', provider_ref: 'p', next: { kind: 'otp' }, poll_after_ms: 3_600_000 };
    if (payer && /[67]$/.test(payer) && !begun.has(payer)) {
      begun.add(payer);
      return { kind: 'succeeded', provider_ref: 'p', amount_minor, currency };
    }
    if (payer?.endsWith('7')) return { kind: 'refused', reason: 'wrong_pin', message: 'no' };
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
let logos: LogoHost;
before(async () => {
  logos = await startLogoHost({ '/logo.png': mark(132, [180, 83, 9]) });
  api = await startApi({ providers: new Registry({ sandbox: [provider], live: [provider] }) });
});
after(async () => {
  if (found.browser) await keepOverview(found.browser);
  await found.browser?.close();
  logos.close();
  await api.stop();
});

interface Pose {
  payment?: object | (() => object);
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
    options: { locale: 'fr-CM', viewport: MIN },
    lead: (page) => open(page, 'Votre commande'),
  },
  'checkout-pt': {
    payment: { bearer: 'customer', description: 'Dois cestos de mangas', items: ITEMS },
    options: { locale: 'pt-MZ', viewport: MIN },
    lead: (page) => open(page, 'A sua encomenda'),
  },
  'checkout-desktop': { options: { viewport: DESKTOP } },
  'checkout-card': { lead: (page) => open(page, 'Card') },
  'checkout-bank': { lead: (page) => open(page, 'Bank transfer'), payment: { bearer: 'customer' } },
  'checkout-no-script': {
    options: { javaScriptEnabled: false, viewport: MIN },
    payment: { currency: 'XOF', phone: '+221770000000' },
  },
  'checkout-themed': {
    payment: () => ({
      description: 'Deux paniers de mangues',
      theming: {
        color: '#d97706',
        logo: `${logos.url}/logo.png`,
        title: 'Le marché du samedi',
        button_text: 'Commander',
        locale: 'fr',
      },
    }),
  },
  'checkout-part-paid': {
    payment: { amount: 900_000 },
    lead: async (page) => {
      await phone('650000007')(page);
      await page.getByText('The PIN was wrong.').waitFor();
    },
  },
  'test-numbers': { lead: (page) => open(page, 'Test numbers') },
  'wrong-number': { lead: phone('12') },
  'not-reachable': { lead: phone('650000002') },
  waiting: { lead: phone('650000000') },
  // The answers are open, and the page does not reload itself meanwhile.
  'waiting-no-script': {
    lead: async (page, _, url) => {
      await phone('650000000')(page);
      await page.goto(`${url}?note=ask`);
    },
    options: { javaScriptEnabled: false, viewport: MIN, locale: 'fr-CM' },
  },
  'waiting-orange': { lead: phone('690000000') },
  'waiting-late': {
    lead: async (page, id, url) => {
      await phone('650000000')(page);
      await api.deps.stores.sandbox.db.run(
        sql`update attempts set submitted_at = submitted_at - interval '6 minutes' where payment_id = ${id}`,
      );
      await page.goto(url);
    },
  },
  'waiting-code': { lead: phone('650000005') },
  'waiting-part': {
    payment: { amount: 900_000 },
    lead: async (page) => {
      await phone('650000006')(page);
      await page.locator('progress').waitFor();
      await page.getByRole('heading', { name: 'Confirm on your phone' }).waitFor();
    },
  },
  'waiting-redirect': {
    payment: { currency: 'XOF', phone: '+221770000000' },
    lead: async (page, _, url) => {
      const charge = { channel: 'sn.wave', data: { phone: '770000000' } };
      await page.request.post(url, { data: charge, headers: { accept: 'application/json' } });
      await page.goto(url);
    },
  },
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
  'result-expired': {
    lead: async (page, id) => {
      await api.deps.stores.sandbox.db.run(sql`update payments set expires_at = now() - interval '1 minute' where id = ${id}`);
      await page.reload();
    },
  },
  busy: {
    lead: async (page, _, url) => {
      for (let i = 0; i < 30; i++) await new Payer(url).json({});
      await phone('650000000')(page);
    },
  },
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

/** Of these, the picture in the dark is kept too. */
const DARK = new Set(['checkout-themed', 'waiting', 'result-succeeded', 'checkout-desktop']);

describe('screenshots of every page', { skip: found.missing ?? false, concurrency: 4 }, () => {
  for (const [name, pose] of Object.entries(POSES)) test(name, () => picture(name, pose));
});

describe('the first screen of a small phone', { skip: found.missing ?? false }, () => {
  const cases = {
    'in English': { phone: '+237650000000' },
    'with a fee, in French': { bearer: 'customer', items: ITEMS, theming: { locale: 'fr' } },
    'with four operators': { currency: 'XOF', phone: '+221770000000' },
    'with the longest texts': {
      description: 'Deux paniers de mangues, livraison comprise. '.repeat(11),
      reference: 'R'.repeat(128),
    },
  };
  for (const [name, fields] of Object.entries(cases)) {
    test(`the button that pays is above the fold at 320 × 568, ${name}`, async () => {
      const { url } = await newPayment(api, fields);
      const { page, context } = await newVisitor(found.browser ?? assert.fail(), { viewport: { width: 320, height: 568 } });
      await page.goto(url);
      const box = await page.locator('details[open] form button').first().boundingBox();
      assert.ok(box && box.y + box.height <= 568, `its end is at ${box && box.y + box.height}`);
      await context.close();
    });
  }

  test('the focus ring of a field does not touch its label', async () => {
    const { url } = await newPayment(api);
    const { page, context } = await newVisitor(found.browser ?? assert.fail());
    await page.goto(url);
    await open(page, 'Card');
    for (const id of ['phone', 'number', 'expiry', 'cvc']) {
      if (id === 'phone') await open(page, 'Mobile money');
      if (id === 'number') await open(page, 'Card');
      await page.locator(`#${id}`).focus();
      const gap = await page.evaluate<number>(`(() => {
        const input = document.getElementById('${id}');
        const { outlineOffset, outlineWidth } = getComputedStyle(input);
        const ring = parseFloat(outlineOffset) + parseFloat(outlineWidth);
        return input.getBoundingClientRect().top - ring - input.labels[0].getBoundingClientRect().bottom;
      })()`);
      assert.ok(gap >= 2, `${id}: ${gap} px`);
    }
    await context.close();
  });
});

async function picture(name: string, { payment, options, lead }: Pose): Promise<void> {
  const { url, id } = await newPayment(api, {
    phone: '+237650000000',
    description: 'Two baskets of mangoes',
    reference: 'ORDER-1042',
    callback: 'https://shop.example/',
    ...(typeof payment === 'function' ? payment() : payment),
  });
  const browser = found.browser as NonNullable<Found['browser']>;
  const { page, context, complaints } = await newVisitor(browser, { viewport: HANDSET, deviceScaleFactor: 1.5, ...options });
  // The page of a success leads back after some seconds: an answer without content keeps the browser where it is.
  await page.route('https://shop.example/**', (route) => route.fulfill({ status: 204 }));
  await page.goto(url);
  await lead?.(page, id, url);
  assert.deepEqual(complaints, []);
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    assert.deepEqual(await page.evaluate(FAULTS), [], colorScheme);
    if (options?.javaScriptEnabled !== false) assert.deepEqual(await axeFaults(page), [], colorScheme);
    if (colorScheme === 'light' || DARK.has(name)) await keepPicture(page, colorScheme === 'dark' ? `${name}-dark` : name);
  }
  await context.close();
}

/** Runs in the page: what is cut off, too small for a thumb (44 px) or too pale to read (4.5:1). */
const FAULTS = `(() => {
  const faults = [];
  if (document.documentElement.scrollWidth > innerWidth) faults.push('wider than the screen');
  const shown = (element) => element.checkVisibility();
  for (const control of [...document.querySelectorAll('button, summary, select, a.button, input:not([type=hidden])')].filter(shown)) {
    // A box to tick is as large as the label around it.
    const { width, height } = (control.closest('label') ?? control).getBoundingClientRect();
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
