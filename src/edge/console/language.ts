import { isLanguage, type Language, preferredLanguage } from '../pages/language.ts';

/** Languages of the console. */
export const CONSOLE_LANGUAGES = ['en', 'fr'] as const;

export type ConsoleLanguage = (typeof CONSOLE_LANGUAGES)[number];

/** Texts in each language. The compiler lists what one of them lacks. */
export type Texts<T> = Readonly<Record<ConsoleLanguage, T>>;

/** Returns a language of the console: the person's own, else the best for the browser. Without French, English. */
export function consoleLanguage(chosen: unknown, header: string | undefined): ConsoleLanguage {
  const language: Language = isLanguage(chosen) ? chosen : preferredLanguage(header);
  return CONSOLE_LANGUAGES.find((known) => known === language) ?? 'en';
}
