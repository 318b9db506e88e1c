import type { Texts } from '../../language.ts';

type Name =
  | 'title'
  | 'list'
  | 'note'
  | 'none'
  | 'noneText'
  | 'others'
  | 'currency'
  | 'above'
  | 'aboveHelp'
  | 'change'
  | 'remove'
  | 'set'
  | 'save'
  | 'firstHelp'
  | 'heldHelp'
  | 'wrongCurrency'
  | 'wrongAmount';

type ThresholdTexts = Record<Name, string> & { done: Record<'set' | 'same' | 'removed', string> };

export const THRESHOLD_TEXTS: Texts<ThresholdTexts> = {
  en: {
    title: 'Second person',
    list: 'Thresholds',
    note: 'Above these amounts, another person approves before money leaves. They apply to sandbox and live.',
    none: 'No threshold',
    noneText: 'Whoever may refund or pay out does so alone, up to any amount.',
    others: 'In other currencies every refund and payout needs a second person.',
    currency: 'Currency',
    above: 'Above',
    aboveHelp: 'Up to and including this amount, nobody is asked. 0: always.',
    change: 'Change',
    remove: 'Remove',
    set: 'Set a threshold',
    save: 'Save the threshold',
    firstHelp:
      'With a threshold, a second person also approves changes to keys that can move money, to people and to thresholds. Two people of the team must be able to approve.',
    heldHelp: 'A second person approves the change before it counts.',
    wrongCurrency: 'Choose one of these currencies.',
    wrongAmount: 'Enter an amount such as 500000, without thousands separators.',
    done: {
      set: 'The threshold is set.',
      same: 'This is already the case.',
      removed: 'There is no threshold.',
    },
  },
  fr: {
    title: 'Deuxième personne',
    list: 'Seuils',
    note: 'Au-dessus de ces montants, une autre personne valide avant toute sortie d’argent. Ils s’appliquent à la sandbox et à la production.',
    none: 'Aucun seuil',
    noneText: 'Toute personne autorisée rembourse ou vire seule, quel que soit le montant.',
    others: 'Dans les autres devises, chaque remboursement et chaque virement doit être validé par une deuxième personne.',
    currency: 'Devise',
    above: 'Au-dessus de',
    aboveHelp: 'Jusqu’à ce montant inclus, personne n’est consulté. 0 : toujours.',
    change: 'Modifier',
    remove: 'Supprimer',
    set: 'Définir un seuil',
    save: 'Enregistrer le seuil',
    firstHelp:
      'Avec un seuil, une deuxième personne valide aussi les modifications qui concernent les clés permettant de déplacer de l’argent, les utilisateurs et les seuils. Deux personnes de l’équipe doivent pouvoir valider.',
    heldHelp: 'Une deuxième personne valide la modification avant qu’elle ne s’applique.',
    wrongCurrency: 'Choisissez l’une de ces devises.',
    wrongAmount: 'Indiquez un montant tel que 500000, sans séparateur de milliers.',
    done: {
      set: 'Le seuil est défini.',
      same: 'C’est déjà le cas.',
      removed: 'Il n’y a pas de seuil.',
    },
  },
};
