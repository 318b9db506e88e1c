import type { Texts } from '../../language.ts';

type Name =
  | 'title'
  | 'note'
  | 'card'
  | 'when'
  | 'whenHelp'
  | 'browser'
  | 'always'
  | 'language'
  | 'languageHelp'
  | 'save'
  | 'saved'
  | 'wrong'
  | 'preview'
  | 'previewNote';

export const LANGUAGE_TEXTS: Texts<Record<Name, string>> = {
  en: {
    title: 'Languages',
    note: 'For the pages on which your customers pay, and the mails that they receive, in sandbox and live.',
    card: 'Language of your payers',
    when: 'Pages are in',
    whenHelp: 'A payer can always choose another language on the page. A payment or link with a language of its own keeps it.',
    browser: 'the language of the payer’s browser',
    always: 'always the language below',
    language: 'Language',
    languageHelp:
      'Where pages follow the browser: for payers whose browser names no language of the pages, and in mails beside the language of the country.',
    save: 'Save',
    saved: 'The language was saved. Payers see it within a second.',
    wrong: 'Choose one of these.',
    preview: 'Preview',
    previewNote: 'The page of a payment that does not exist, for a payer whose browser names no language of the pages.',
  },
  fr: {
    title: 'Langues',
    note: 'Pour les pages sur lesquelles vos clients paient et les e-mails qu’ils reçoivent, en sandbox et en production.',
    card: 'Langue de vos payeurs',
    when: 'Les pages sont',
    whenHelp:
      'Le payeur peut toujours choisir une autre langue sur la page. Un paiement ou un lien qui a sa propre langue la garde.',
    browser: 'dans la langue du navigateur du payeur',
    always: 'toujours dans la langue ci-dessous',
    language: 'Langue',
    languageHelp:
      'Si les pages suivent le navigateur\u00A0: pour les payeurs dont le navigateur n’indique aucune des langues proposées, et dans les e-mails, à côté de celle du pays.',
    save: 'Enregistrer',
    saved: 'La langue est enregistrée. Les payeurs la voient en moins d’une seconde.',
    wrong: 'Choisissez l’une de ces options.',
    preview: 'Aperçu',
    previewNote: 'La page d’un paiement fictif, pour un payeur dont le navigateur n’indique aucune des langues proposées.',
  },
};
