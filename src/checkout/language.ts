/** Languages of the pages; the first is used when the payer prefers none of them. */
export const LANGUAGES = ['en', 'fr'] as const;

export type Language = (typeof LANGUAGES)[number];

/** As their speakers write them. */
export const OWN_NAMES: Record<Language, string> = { en: 'English', fr: 'Français' };

export function isLanguage(value: unknown): value is Language {
  return LANGUAGES.some((language) => language === value);
}

/** The language the payer likes best of those we have, by Accept-Language (RFC 9110, 12.5.4). */
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

/** `fr-CM;q=0.8`: only the primary language counts. */
function readWish(text: string): { language: string; weight: number } {
  const [tag = '', ...parameters] = text.trim().toLowerCase().split(';');
  const q = parameters.map((parameter) => /^\s*q=([\d.]+)\s*$/.exec(parameter)?.[1]).find((value) => value !== undefined);
  return { language: tag.split('-')[0] ?? '', weight: q === undefined ? 1 : Number(q) };
}
