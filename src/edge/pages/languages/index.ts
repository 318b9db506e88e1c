/**
 * The languages of the pages and of the mails to payers: one line and one folder each. The name under which a language is
 * exported is its ISO 639-1 code.
 */
export { en } from './en/index.ts';
export { fr } from './fr/index.ts';
export { pt } from './pt/index.ts';
