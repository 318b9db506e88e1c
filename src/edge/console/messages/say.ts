import { type FieldErrors, invalid, namedFaults, type Problem } from '../../../kit/errors.ts';
import { type Html, html } from '../../../kit/html.ts';
import type { ConsoleLanguage } from '../language.ts';
import { FIELD_FAULTS } from './fields.ts';
import { OwnProblem } from './own.ts';
import { SENTENCES } from './sentences.ts';
import { type Pair, Translator } from './template.ts';

const translator = new Translator([...FIELD_FAULTS, ...SENTENCES]);

/** A rejection as a page shows it. */
export interface Said {
  message: Html;
  /** By field, under the API's names. */
  errors: Readonly<Record<string, Html[]>>;
}

/**
 * Returns a message of the API for a page. Messages are English on the wire and in what is stored; only pages show them in French. One
 * without French is shown as it is, and marked as English, so that screen readers pronounce it right.
 */
export function say(language: ConsoleLanguage, message: string): Html {
  if (language === 'en') return html`${message}`;
  const french = translator.french(message);
  return french === null ? html`<span lang="en">${message}</span>` : html`${french}`;
}

/** Returns what a problem says, in the language of the page. */
export function sayProblem(language: ConsoleLanguage, problem: Problem): Said {
  const errors = problem.details.errors ?? {};
  const one = problem instanceof OwnProblem ? (text: string) => html`${text}` : (text: string) => say(language, text);
  const said = Object.entries(errors).map(([field, texts]) => [field, texts.map(one)] as const);
  const message = isOfFields(problem, errors) ? named(language, errors, one) : one(problem.message);
  return { message, errors: Object.fromEntries(said) };
}

/** Whether the message only repeats the fields and their errors. */
function isOfFields({ message }: Problem, errors: FieldErrors): boolean {
  return Object.keys(errors).length > 0 && message === invalid(errors).message;
}

function named(language: ConsoleLanguage, errors: FieldErrors, one: (text: string) => Html): Html {
  const [colon, semicolon] = language === 'fr' ? ['\u00A0: ', '\u00A0; '] : [': ', '; '];
  const parts = namedFaults(errors).map(({ fields, fault }) => html`${fields.join(', ')}${colon}${one(fault)}`);
  return html`${parts.map((part, i) => html`${i > 0 && semicolon}${part}`)}`;
}

/**
 * Returns a rejection that was stored as text: a sentence, or `field: fault` with others after semicolons.
 * @param own texts of the console among them, which are stored in the language of whoever saw them first
 */
export function sayStored(language: ConsoleLanguage, text: string, own: readonly Pair[] = []): Html {
  const inOwn = (one: string) => own.find((pair) => pair.includes(one))?.[language === 'en' ? 0 : 1];
  const known = (one: string) => inOwn(one) ?? (language === 'en' ? one : translator.french(one));
  const whole = known(text);
  if (whole !== null && whole !== text) return html`${whole}`;
  const errors = faultsIn(text);
  const said = Object.entries(errors).map(([field, fault]) => [field, known(fault)] as const);
  if (said.length === 0 || said.some(([, fault]) => fault === null)) return say(language, text);
  return named(language, Object.fromEntries(said.map(([field, fault]) => [field, [fault ?? '']])), (one) => html`${one}`);
}

/** Returns the faults of a text by field; empty for a sentence. */
function faultsIn(text: string): Record<string, string> {
  const parts = text.split('; ').map((part) => /^([\w.]+(?:, [\w.]+)*): (.+)$/s.exec(part));
  if (!parts.every((part) => part !== null)) return {};
  return Object.fromEntries(parts.map(([, field = '', fault = '']) => [field, fault]));
}
