import type { Texts } from '../../language.ts';

type Name =
  | 'title'
  | 'note'
  | 'color'
  | 'colorHelp'
  | 'ours'
  | 'preview'
  | 'previewNote'
  | 'show'
  | 'save'
  | 'reset'
  | 'saved'
  | 'wrong'
  | 'sample';

export const BRANDING_TEXTS: Texts<Record<Name, string>> = {
  en: {
    title: 'Branding',
    note: 'For the pages on which your customers pay, in sandbox and live.',
    color: 'Colour',
    colorHelp:
      'Of buttons and links. It is darkened until white text on it is legible, and lightened on dark screens. A payment or link with a colour of its own keeps it.',
    ours: 'The colour of Pirogue',
    preview: 'Preview',
    previewNote: 'The page of a payment that does not exist, with the name of your team.',
    show: 'Show the preview',
    save: 'Save',
    reset: 'Use the colour of Pirogue',
    saved: 'The colour was saved. Payers see it within a second.',
    wrong: 'Use a colour such as #0b4a5e.',
    sample: 'Two baskets of mangoes',
  },
  fr: {
    title: 'Identité visuelle',
    note: 'Pour les pages sur lesquelles vos clients paient, en sandbox et en production.',
    color: 'Couleur',
    colorHelp:
      'Celle des boutons et des liens. Elle est foncée jusqu’à ce qu’un texte blanc y soit lisible, et éclaircie sur les écrans sombres. Un paiement ou un lien qui a sa propre couleur la garde.',
    ours: 'La couleur de Pirogue',
    preview: 'Aperçu',
    previewNote: 'La page d’un paiement fictif, avec le nom de votre équipe.',
    show: 'Afficher l’aperçu',
    save: 'Enregistrer',
    reset: 'Reprendre la couleur de Pirogue',
    saved: 'La couleur est enregistrée. Les payeurs la voient en moins d’une seconde.',
    wrong: 'Indiquez une couleur, par exemple #0b4a5e.',
    sample: 'Deux paniers de mangues',
  },
};
