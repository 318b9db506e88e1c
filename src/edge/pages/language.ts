import type { PayerLanguage } from '../../tenants/teams/schema.ts';
import * as registry from './languages/index.ts';
import type { LanguageTexts } from './texts/texts.ts';

export type Language = keyof typeof registry;

const TEXTS: Record<Language, LanguageTexts> = registry;

/** Languages of the pages, in alphabetical order of their codes. */
export const LANGUAGES = Object.keys(TEXTS) as Language[];

/** Language of readers without any other indication. */
export const DEFAULT_LANGUAGE: Language = 'en';

/** Maximum entries of an Accept-Language header that are considered. Browsers send fewer than ten. */
const MAX_WISHES = 20;

/** Returns whether the value is the code of a supported language. */
export function isLanguage(value: unknown): value is Language {
  return LANGUAGES.some((language) => language === value);
}

/** Returns all texts of a language. */
export function textsIn(language: Language): LanguageTexts {
  return TEXTS[language];
}

/** Returns the BCP 47 tag for formatting in a language. */
export function localeOf(language: Language): string {
  return TEXTS[language].locale;
}

/** Returns the supported language of a tag such as `fr`, `fr-CM` or `fr_CM`; null for other languages. */
export function languageOfTag(tag: string): Language | null {
  const primary = tag.toLowerCase().split(/[-_]/)[0];
  return LANGUAGES.find((language) => language === primary) ?? null;
}

/**
 * Returns the language in which people of a country are addressed; null when no language lists the country.
 * @param code ISO 3166-1 alpha-2
 */
export function languageOfCountry(code: string | undefined): Language | null {
  return LANGUAGES.find((language) => code !== undefined && TEXTS[language].countries.includes(code)) ?? null;
}

/**
 * Returns the language that suits the payer best by Accept-Language (RFC 9110, 12.5.4): a supported language that is listed,
 * else that of the country of a listed one (`wo-SN` and `wo`, Wolof: French; `umb`, Umbundu: Portuguese), else the default.
 * @param fallback default of the merchant
 */
export function preferredLanguage(header: string | undefined, fallback = DEFAULT_LANGUAGE): Language {
  const wishes = (header ?? '')
    .split(',', MAX_WISHES)
    .map(readWish)
    .filter(({ weight }) => weight > 0);
  wishes.sort((a, b) => b.weight - a.weight);
  return (
    first(wishes, ({ tag }) => languageOfTag(tag)) ?? first(wishes, ({ tag }) => languageOfCountry(countryOf(tag))) ?? fallback
  );
}

/** Returns the language that a team has set for its payers; null for none, and for one that the pages do not have. */
export function teamLanguage({ payer_language }: PayerLanguage): Language | null {
  return isLanguage(payer_language) ? payer_language : null;
}

/** Returns the language that a team has set for every payer; null when the payer's browser decides. */
export function fixedLanguage(team: PayerLanguage): Language | null {
  return team.payer_language_always ? teamLanguage(team) : null;
}

/**
 * Returns the language of a page for a payer who has chosen none on it: the one that the team has set for every payer, else the one
 * that suits the browser.
 * @param header Accept-Language
 */
export function payerLanguage(header: string | undefined, team: PayerLanguage): Language {
  return fixedLanguage(team) ?? preferredLanguage(header, teamLanguage(team) ?? DEFAULT_LANGUAGE);
}

interface Wish {
  tag: string;
  weight: number;
}

function first(wishes: readonly Wish[], languageOf: (wish: Wish) => Language | null): Language | undefined {
  for (const wish of wishes) {
    const language = languageOf(wish);
    if (language) return language;
  }
  return undefined;
}

/** Parses one entry such as `fr-CM;q=0.8`. */
function readWish(text: string): Wish {
  const [tag = '', ...parameters] = text.trim().split(';');
  const q = parameters.map((parameter) => /^\s*q=([\d.]+)\s*$/i.exec(parameter)?.[1]).find((value) => value !== undefined);
  return { tag, weight: q === undefined ? 1 : Number(q) };
}

/** Returns the country of a language tag: the one in the tag, else the one with most speakers. */
function countryOf(tag: string): string | undefined {
  try {
    return new Intl.Locale(tag).maximize().region;
  } catch {
    return undefined;
  }
}
