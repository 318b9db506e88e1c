import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { FIELD_FAULTS } from '../../src/edge/console/messages/fields.ts';
import { SENTENCES } from '../../src/edge/console/messages/sentences.ts';
import { Translator } from '../../src/edge/console/messages/template.ts';
import type { ConsolePage } from '../../src/edge/console/page.ts';
import { consolePagesOf } from '../../src/edge/console/pages.ts';
import { ENVIRONMENTS, type Environment } from '../../src/kit/environment.ts';
import { type Api, startApi } from '../setup/api.ts';
import { paid, startPayment } from '../setup/pay.ts';
import { FORM_FIELD } from '../../src/edge/console/forms.ts';
import { formToken, type Person, type Shown, signedIn } from './people.ts';

const FRENCH = { 'accept-language': 'fr' };
const english = new Translator([...FIELD_FAULTS, ...SENTENCES]);

let api: Api;
let owner: Person;

before(async () => {
  api = await startApi();
  owner = await signedIn(api, 'owner');
});
after(() => api.stop());

/** Makes one of each, so that forms about one thing are reached. @returns ids by the first segment of a path */
async function seeded(environment: Environment): Promise<Record<string, string>> {
  const { secret: key } = api.keys[environment];
  const make = async (path: string, body: object, name: string) =>
    (await api.call('POST', path, { key, body })).body[name]?.id as string;
  const customers = await make('/customers', { name: 'Ama', email: 'ama@shop.example' }, 'customer');
  const saved = await make('/beneficiaries', { name: 'Kofi', channel: 'cm.mtn', phone: '+237650000003' }, 'beneficiary');
  if (environment === 'sandbox') {
    const { id } = await startPayment(api, { key });
    await paid(api, { key });
    return { customers, beneficiaries: saved, payments: id };
  }
  const items = [{ name: 'Mangoes', quantity: 1, unit_price: 5000 }];
  return {
    customers,
    beneficiaries: saved,
    links: await make('/links', { title: 'Fees', currency: 'XAF', amount: 5000 }, 'link'),
    invoices: await make('/invoices', { currency: 'XAF', customer: { phone: '+237650000117' }, items }, 'invoice'),
    subaccounts: await make('/accounts', { name: 'Seller', email: 's@sellers.example' }, 'account'),
  };
}

type TeamPage = Extract<ConsolePage, { who: 'team' }>;

function pathOf({ path }: TeamPage, base: string, ids: Record<string, string>): string {
  const id = Object.entries(ids).find(([name]) => path.includes(`/${name}/:`))?.[1] ?? 'nothing';
  return base + path.replace(/:\w+/g, id);
}

interface Form {
  method: string;
  action: string;
  names: string[];
  hidden: Record<string, string>;
}

function formsIn({ text }: Shown): Form[] {
  const main = text.slice(text.indexOf('<main'));
  return [...main.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gs)].map(([, head = '', inside = '']) => {
    const hidden = [...inside.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)];
    const names = [...inside.matchAll(/<(?:input|select|textarea)\b[^>]*? name="([^"]+)"/g)].map(([, name = '']) => name);
    return {
      method: /method="post"/.test(head) ? 'POST' : 'GET',
      action: (/action="([^"]*)"/.exec(head)?.[1] ?? '').replaceAll('&amp;', '&'),
      hidden: Object.fromEntries(hidden.map(([, name = '', value = '']) => [name, value])),
      names: [...new Set(names)].filter((name) => !hidden.some(([, known]) => known === name)),
    };
  });
}

/** What is typed into every field of a form. */
const BAD = ['', 'x', '-1', '12345678901234567', '4242 4242 4242 4242', '1,25', 'y'.repeat(4_000)];

/** Returns what a page says went wrong: beside fields, above forms, and as a page of its own. */
function saidIn({ text }: Shown): string[] {
  const places = /<p class="(?:error|alert bad)"[^>]*>(.*?)<\/p>|<h1>[^<]*<\/h1><p>(.*?)<\/p>\s*<p class="note">/gs;
  return [...text.matchAll(places)].map(([, beside, alone]) => plain(beside ?? alone ?? ''));
}

function plain(markup: string): string {
  const entities: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" };
  return markup.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => entities[entity] ?? entity);
}

test('on French pages, no form and no action says an error of the API in English', async () => {
  const pages = consolePagesOf(api.deps).filter((page): page is TeamPage => page.who === 'team');
  const said = new Map<string, string>();
  const hear = (shown: Shown, where: string) => {
    for (const text of saidIn(shown)) if (!said.has(text)) said.set(text, where);
  };
  let sent = 0;
  for (const environment of ENVIRONMENTS) {
    const base = `/console/${api.team.id}/${environment}`;
    const ids = await seeded(environment);
    const forms = new Map<string, Form>();
    for (const page of pages.filter(({ method }) => method === 'GET')) {
      const path = pathOf(page, base, ids);
      const shown = await owner.get(path, FRENCH);
      hear(shown, path);
      if (shown.headers.get('content-type')?.startsWith('text/html')) {
        // Names of channels that are no brands.
        assert.doesNotMatch(shown.text.slice(shown.text.indexOf('<main')), /Bank transfer|Bank USSD|>Card\b/, path);
        for (const form of formsIn(shown)) forms.set(`${form.method} ${form.action}`, form);
      }
    }
    const token = formToken((await owner.get(`${base}/payments`, FRENCH)).text);
    for (const page of pages.filter(({ method }) => method === 'POST')) {
      const path = pathOf(page, base, ids);
      hear(await owner.post(path, token, FRENCH), path);
    }
    for (const { method, action, names, hidden } of forms.values()) {
      for (const bad of BAD) {
        const typed = Object.fromEntries(names.map((name) => [name, bad]));
        const query = new URLSearchParams({ ...hidden, ...typed });
        query.delete(FORM_FIELD);
        const shown =
          method === 'POST'
            ? await owner.post(action, { ...hidden, ...typed, ...token }, FRENCH)
            : await owner.get(`${action}?${query}`, FRENCH);
        assert.ok(shown.status < 500 || shown.status === 501, `${method} ${action} with ${bad.slice(0, 20)}: ${shown.status}`);
        hear(shown, `${method} ${action}`);
        sent += 1;
      }
    }
  }
  assert.ok(sent > 200, `${sent} forms were sent`);
  assert.ok(said.size > 25, [...said.keys()].join('\n'));
  const wrong = [...said].filter(([text]) => text.includes('lang="en"') || english.french(text) !== null);
  assert.deepEqual(
    wrong.map(([text, where]) => `${where}: ${text}`),
    [],
  );
});
