import type { Texts } from '../language.ts';

interface ViewTexts {
  views: string;
  save: string;
  name: string;
  help: string;
  remove(name: string): string;
  faults: Record<'name' | 'filters' | 'full', string>;
}

export const VIEW_TEXTS: Texts<ViewTexts> = {
  en: {
    views: 'Saved views',
    save: 'Save this view',
    name: 'Name of the view',
    help: 'Only you see it. A searched text is not saved with it.',
    remove: (name) => `Delete the view ${name}`,
    faults: {
      name: 'Use 1 to 40 visible characters.',
      filters: 'Filter the list first: a view keeps its filters.',
      full: 'A list has at most 20 views: delete one first.',
    },
  },
  fr: {
    views: 'Vues enregistrées',
    save: 'Enregistrer cette vue',
    name: 'Nom de la vue',
    help: 'Vous seul la voyez. Un texte recherché n’est pas enregistré.',
    remove: (name) => `Supprimer la vue ${name}`,
    faults: {
      name: 'Indiquez de 1 à 40 caractères visibles.',
      filters: 'Filtrez d’abord la liste\u00A0: une vue en garde les filtres.',
      full: 'Une liste a 20 vues au plus\u00A0: supprimez-en une d’abord.',
    },
  },
};
