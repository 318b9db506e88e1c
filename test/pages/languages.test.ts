import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import {
  isLanguage,
  LANGUAGES,
  type Language,
  languageOfCountry,
  localeOf,
  preferredLanguage,
  textsIn,
} from '../../src/edge/pages/language.ts';
import type { LanguageTexts } from '../../src/edge/pages/texts/texts.ts';
import { winAnsi } from '../../src/edge/receipts/win-ansi.ts';

/** Texts that are the same word in English. All others must differ. */
const SAME_AS_ENGLISH: Record<Exclude<Language, 'en'>, readonly string[]> = {
  fr: [
    'checkout.means.mobile_money',
    'checkout.transaction',
    'invoice.issued',
    'invoice.total',
    'invoice.notes',
    'link.fields.email',
    'onboarding.email',
    'receipt.date',
    'receipt.transaction',
    'start.console.0',
    'start.guides.0',
  ],
  pt: ['invoice.total', 'link.fields.email', 'onboarding.email'],
};

/** An argument that shows in the text: `{0}`, or `{0.merchant}` for a property of it. */
function shown(name: string): unknown {
  return new Proxy(() => name, {
    get: (_, key) => (key === Symbol.toPrimitive ? () => `{${name}}` : shown(`${name}.${String(key)}`)),
  });
}

type Text = string | ((...given: unknown[]) => unknown);

/** Every text of a language by its path. */
function leaves(value: unknown, at: readonly string[] = []): [string, Text][] {
  if (typeof value === 'string' || typeof value === 'function') return [[at.join('.'), value as Text]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => leaves(inner, [...at, key]));
}

function textsOf(language: Language): Map<string, Text> {
  const { name: _, locale: __, countries: ___, ...texts } = textsIn(language);
  return new Map(leaves(texts));
}

const written = (text: Text, ...given: unknown[]) => {
  const result = typeof text === 'string' ? text : text(...(given.length > 0 ? given : [shown('0'), shown('1')]));
  return typeof result === 'string' ? result : Object.values(result as object).join('\n');
};
const placeholders = (text: string) => [...new Set(text.match(/\{[\d.\w]+\}/g))].sort();

const english = textsOf('en');
const others = LANGUAGES.filter((language) => language !== 'en');

for (const language of others) {
  describe(`${textsIn(language).name} (${language})`, () => {
    const texts = textsOf(language);

    test('it has every text of English, with the same placeholders', () => {
      assert.deepEqual([...texts.keys()].sort(), [...english.keys()].sort());
      for (const [name, text] of texts) {
        assert.deepEqual(placeholders(written(text)), placeholders(written(english.get(name) as Text)), name);
      }
    });

    test('it has no text that is still English', () => {
      const same = [...texts].filter(
        ([name, text]) => /\p{L}/u.test(written(text)) && written(text) === written(english.get(name) as Text),
      );
      assert.deepEqual(same.map(([name]) => name).sort(), [...SAME_AS_ENGLISH[language]].sort());
    });
  });
}

for (const language of LANGUAGES) {
  test(`${language}: every text can be printed in a PDF, has typographic apostrophes and no space at its ends`, () => {
    for (const [name, text] of textsOf(language)) {
      const printed = written(text);
      assert.equal(winAnsi(printed.replaceAll('\n', '')), printed.replaceAll('\n', ''), name);
      assert.doesNotMatch(printed, /\p{L}'\p{L}/u, name);
      if (!name.startsWith('mails.')) assert.equal(printed, printed.trim(), name);
    }
  });

  test(`${language}: its code, locale and countries are known`, () => {
    assert.equal(new Intl.Locale(localeOf(language)).language, language);
    assert.equal(Intl.DateTimeFormat.supportedLocalesOf(localeOf(language)).length, 1);
    for (const code of textsIn(language).countries) {
      assert.notEqual(new Intl.DisplayNames('en', { type: 'region' }).of(code), code);
      assert.equal(languageOfCountry(code), language, `${code} is listed by one language only`);
    }
  });
}

for (const page of ['checkout.md', 'invoices.md']) {
  test(`docs/${page} names every language of the pages`, () => {
    const text = fs.readFileSync(path.join(import.meta.dirname, '..', '..', 'docs', page), 'utf8');
    const names = new Intl.DisplayNames('en', { type: 'language' });
    const sentence = text.split(/\n\n|(?<=\.)\s/).find((one) => /English, French/.test(one)) ?? '';
    for (const language of LANGUAGES) assert.ok(sentence.includes(names.of(language) as string), `${language}: ${sentence}`);
  });
}

test('French has a no-break space before : ; ? and !', () => {
  for (const [name, text] of textsOf('fr')) assert.doesNotMatch(written(text), /[^\u00a0\u202f][:;?!](?=\s|$)/u, name);
});

test('a failed payment says that nothing was charged, and where to try again', () => {
  for (const language of LANGUAGES) {
    const text = textsIn(language).checkout.startAgain('Demo shop');
    assert.match(text, /Nothing was charged|Rien n’a été débité|Nada foi debitado/);
    assert.match(text, /Demo shop/);
  }
});

test('another browser is asked whether it started the payment, and for the number that was used: nothing may have been charged', () => {
  for (const language of LANGUAGES) {
    const { takeOverTitle, takeOverText, errors } = textsIn(language).checkout;
    assert.doesNotMatch(`${takeOverTitle} ${takeOverText} ${errors.number}`, /charged|payé|débité|pago|debitado/, language);
  }
});

test('French uses the words of its banks: debited, not taken or returned; saved, not retained', () => {
  for (const [name, text] of textsOf('fr')) assert.doesNotMatch(written(text), /prélev|rendus?\b|Retenir|capte le réseau/, name);
});

test('a language without one of the texts does not compile', () => {
  const { reasons, ...incomplete } = textsIn('pt');
  // @ts-expect-error the texts of the reasons are missing
  const planted: LanguageTexts = incomplete;
  assert.ok(reasons && planted);
});

test('the number one is used with the singular', () => {
  const { left, moreItems, busyText } = textsIn('pt').checkout;
  assert.deepEqual([left(1), left(2)], ['falta cerca de 1 min', 'faltam cerca de 2 min']);
  assert.deepEqual([moreItems(1), moreItems(3)], ['e mais 1 artigo', 'e mais 3 artigos']);
  assert.match(busyText(1), /um minuto/);
  assert.equal(textsIn('fr').checkout.moreItems(1), 'et 1 autre article');
  const minutes = [1, 5].map((count) => textsIn('fr').checkout.left(count).replaceAll('\u00a0', ' '));
  assert.deepEqual(minutes, ['environ 1 min restante', 'environ 5 min restantes']);
});

test('Portuguese is used for Angola, Mozambique, Guinea-Bissau, Cabo Verde and São Tomé', () => {
  for (const code of ['AO', 'MZ', 'GW', 'CV', 'ST']) assert.equal(languageOfCountry(code), 'pt');
  assert.deepEqual(
    [languageOfCountry('CM'), languageOfCountry('GH'), languageOfCountry('CN'), languageOfCountry(undefined)],
    ['fr', 'en', null, null],
  );
});

test('the language is one that the browser lists, else that of the country of one that it lists', () => {
  const cases: Record<string, Language> = {
    'pt-MZ,pt;q=0.9,en;q=0.8': 'pt',
    'fr-CM;q=0.4, pt-AO;q=0.9': 'pt',
    'umb-AO, en;q=0.1': 'en',
    'seh-MZ': 'pt',
    'umb, de;q=0.5': 'pt',
    'wo-SN': 'fr',
    ln: 'fr',
    'sw-KE': 'en',
    'zh-CN, *;q=0.1': 'en',
    'not a tag': 'en',
    '': 'en',
  };
  for (const [header, language] of Object.entries(cases)) assert.equal(preferredLanguage(header), language, header);
  assert.equal(preferredLanguage(undefined), 'en');
});

test('a new language is one folder and one line: nothing else in src names a language or has its texts', () => {
  const root = path.join(import.meta.dirname, '../../src');
  const folders = fs.readdirSync(path.join(root, 'edge/pages/languages'), { withFileTypes: true });
  assert.deepEqual(
    folders
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
      .sort(),
    [...LANGUAGES],
  );
  const files = fs.readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const naming = files.filter(
    (file) =>
      !file.startsWith('edge/pages/languages/pt/') &&
      /(['"`]pt['"`]|\bpt:|\/pt\/)/.test(fs.readFileSync(path.join(root, file), 'utf8')),
  );
  assert.deepEqual(naming, ['edge/pages/languages/index.ts']);
});

test('only the exact codes of known languages are accepted', () => {
  for (const value of ['', 'PT', 'de', 'toString', null, 1, ['pt']]) assert.equal(isLanguage(value), false);
});
