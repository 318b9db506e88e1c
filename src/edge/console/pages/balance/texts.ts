import type { ConsoleLanguage, Texts } from '../../language.ts';
import type { Figure } from '../../parts/figures.ts';
import { ENGLISH_KINDS, FRENCH_KINDS } from './kinds.ts';

interface BalanceTexts {
  title: string;
  note: string;
  currency: string;
  now: string;
  figure: string;
  meaning: string;
  amount: string;
  meanings: Record<Figure, string>;
  statement: string;
  statementNote: string;
  months: string;
  day: string;
  opening: string;
  in: string;
  out: string;
  closing: string;
  noMovement: string;
  counting: string;
  countingText: string;
  byKind: string;
  entries: string;
  noEntries: string;
  time: string;
  cause: string;
  subject: string;
  export: Record<'title' | 'note' | 'from' | 'to' | 'submit' | 'wrong', string>;
}

export const BALANCE_TEXTS: Texts<BalanceTexts> = {
  en: {
    title: 'Balance',
    note: 'As recorded in the ledger now. Days are in UTC.',
    currency: 'Currency',
    now: 'Figures',
    figure: 'Balance',
    meaning: 'Meaning',
    amount: 'Amount',
    meanings: {
      total: 'The sum of the seven others.',
      available: 'Can be paid out now.',
      pending: 'Collected, and still in retention.',
      reserved: 'Set aside for payouts: amount and fee until a payout is sent, its fee until it ends.',
      hold: 'Captured for unfinished payments, on its way back to payers, or unexplained.',
      disputed: 'Held back while a dispute is open.',
      'in.transit': 'Amounts of payouts that were sent to a provider and have not ended.',
      credit: 'Advanced by the platform: zero or negative, repaid first by what comes in.',
    },
    statement: 'Statement',
    statementNote:
      'Days without a movement are left out. What moves between two balances is in their statements, not in the total.',
    months: 'Months',
    day: 'Day',
    opening: 'Opening',
    in: 'In',
    out: 'Out',
    closing: 'Closing',
    noMovement: 'No movement in this month',
    counting: 'The statement is being prepared',
    countingText: 'Journals are added up in the background. Open this page again in a few minutes.',
    byKind: 'The day by cause',
    entries: 'Entries',
    noEntries: 'No entry on this day',
    time: 'Time',
    cause: 'Cause',
    subject: 'Payment or payout',
    export: {
      title: 'Export the entries',
      note: 'One line for each entry of the balance that is shown, the newest first, as CSV. Both days are included.',
      from: 'From day',
      to: 'To day',
      submit: 'Export as CSV',
      wrong: 'Choose two days, the earlier one first.',
    },
  },
  fr: {
    title: 'Solde',
    note: 'Tel que le grand livre le donne à cet instant. Les journées sont en UTC.',
    currency: 'Devise',
    now: 'Montants',
    figure: 'Solde',
    meaning: 'Signification',
    amount: 'Montant',
    meanings: {
      total: 'La somme des sept autres montants.',
      available: 'Peut être viré dès maintenant.',
      pending: 'Encaissé, encore en période de rétention.',
      reserved: 'Mis de côté pour les virements : montant et frais jusqu’à l’envoi, puis les frais jusqu’à la fin du virement.',
      hold: 'Encaissé pour des paiements inachevés, à restituer aux payeurs, ou non expliqué.',
      disputed: 'Bloqué tant qu’un litige est ouvert.',
      'in.transit': 'Montants des virements envoyés à un prestataire et non encore terminés.',
      credit: 'Avancé par la plateforme : nul ou négatif, remboursé en premier sur les encaissements.',
    },
    statement: 'Relevé',
    statementNote:
      'Les journées sans mouvement ne figurent pas. Ce qui passe d’un solde à un autre figure dans leurs relevés, pas dans celui du total.',
    months: 'Mois',
    day: 'Jour',
    opening: 'Solde initial',
    in: 'Entrées',
    out: 'Sorties',
    closing: 'Solde final',
    noMovement: 'Aucun mouvement ce mois-ci',
    counting: 'Le relevé est en préparation',
    countingText: 'Les écritures sont additionnées en arrière-plan. Rouvrez cette page dans quelques minutes.',
    byKind: 'La journée par motif',
    entries: 'Écritures',
    noEntries: 'Aucune écriture ce jour-là',
    time: 'Heure',
    cause: 'Motif',
    subject: 'Paiement ou virement',
    export: {
      title: 'Exporter les écritures',
      note: 'Une ligne par écriture du solde affiché, de la plus récente à la plus ancienne, en CSV. Les deux jours sont inclus.',
      from: 'Du',
      to: 'Au',
      submit: 'Exporter en CSV',
      wrong: 'Indiquez deux jours, le plus ancien en premier.',
    },
  },
};

/** Returns what a kind of journal is called; kinds without a name are shown as they are in the API. */
export function kindText(kind: string, language: ConsoleLanguage): string {
  const names: Readonly<Record<string, string>> = language === 'fr' ? FRENCH_KINDS : ENGLISH_KINDS;
  return names[kind] ?? kind;
}
