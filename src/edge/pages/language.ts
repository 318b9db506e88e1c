/** Languages of the pages. The first is the default when the payer prefers none of them. */
export const LANGUAGES = ['en', 'fr'] as const;

export type Language = (typeof LANGUAGES)[number];

/** Names of the languages, each in the language itself. */
export const OWN_NAMES: Record<Language, string> = { en: 'English', fr: 'Français' };

export function isLanguage(value: unknown): value is Language {
  return LANGUAGES.some((language) => language === value);
}

/** Returns the supported language that the payer prefers, by Accept-Language (RFC 9110, 12.5.4). */
export function preferredLanguage(header: string | undefined): Language {
  const wishes = (header ?? '')
    .split(',')
    .map(readWish)
    .filter(({ weight }) => weight > 0);
  wishes.sort((a, b) => b.weight - a.weight);
  for (const { language } of wishes) {
    const found = LANGUAGES.find((known) => known === language);
    if (found) return found;
  }
  return LANGUAGES[0];
}

/** Parses one entry such as `fr-CM;q=0.8`. Only the primary language counts. */
function readWish(text: string): { language: string; weight: number } {
  const [tag = '', ...parameters] = text.trim().toLowerCase().split(';');
  const q = parameters.map((parameter) => /^\s*q=([\d.]+)\s*$/.exec(parameter)?.[1]).find((value) => value !== undefined);
  return { language: tag.split('-')[0] ?? '', weight: q === undefined ? 1 : Number(q) };
}
