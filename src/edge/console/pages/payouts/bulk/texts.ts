import type { LineStatus } from '../../../../../core/payout-batches/schema.ts';
import type { Texts } from '../../../language.ts';

interface BulkTexts {
  title: string;
  note: string;
  file: string;
  csv: string;
  csvHelp: string;
  check: string;
  format: string;
  formatText: string;
  latest: string;
  latestNote: string;
  uploaded: string;
  linesHead: string;
  troubled: string;
  state: string;
  states: Record<'preview' | 'paused' | 'waiting' | 'unpaid' | 'finished', string>;
  list(lines: string): string;
  sums: string;
  currency: string;
  amount: string;
  fees: string;
  available: string;
  after: string;
  wrong(lines: string): string;
  second(lines: string, most: number): string;
  uncovered: string;
  sure(lines: string): string;
  start(lines: string): string;
  stops: Record<'balance' | 'sure', string>;
  progressTitle: string;
  progress(done: string, all: string): string;
  asked(lines: string): string;
  /** How the approvals of lines have ended. */
  ended: Record<'done' | 'refused' | 'undone', (lines: string) => string>;
  failed(lines: string): string;
  unpaid(payouts: string): string;
  goOn: string;
  pause: string;
  retry: string;
  line: string;
  result: string;
  lineStates: Record<LineStatus, string>;
  repeats: Record<'file' | 'recent', string>;
  beginning: string;
  faults: Record<'empty' | 'surplus' | 'changed', string> & {
    long(max: string): string;
    damaged(line: number): string;
    csv(line: number): string;
    column(name: string): string;
    missing(name: string): string;
    twice(name: string): string;
    lines(max: number): string;
  };
}

/** Texts of bulk payouts. Counts are given formatted. */
export const BULK_TEXTS: Texts<BulkTexts> = {
  en: {
    title: 'Bulk payouts',
    note: 'A list is checked line by line first. Nothing is paid out before you confirm it.',
    file: 'CSV file',
    csv: 'List as CSV',
    csvHelp: 'At most 500 lines. The first line names the columns.',
    beginning: 'How the list begins',
    check: 'Check the list',
    format: 'Format',
    formatText:
      'The recipient is a phone number, an account number or the id of a beneficiary. Cells are separated by commas or semicolons; columns that are not needed may be left out.',
    latest: 'Latest lists',
    latestNote: 'Lists are kept for 30 days.',
    uploaded: 'Uploaded (UTC)',
    linesHead: 'Lines',
    troubled: 'Lines to look at',
    state: 'State',
    states: {
      preview: 'Not confirmed',
      paused: 'Not finished',
      waiting: 'Waits for a second person',
      unpaid: 'Finished, with failures',
      finished: 'Finished',
    },
    list: (lines) => `List of ${lines} ${lines === '1' ? 'line' : 'lines'}`,
    sums: 'What is paid out',
    currency: 'Currency',
    amount: 'Amount',
    fees: 'Fees',
    available: 'Available now',
    after: 'Available afterwards',
    wrong: (lines) => `Lines that are wrong and are not paid out: ${lines}`,
    second: (lines, most) =>
      `Lines on which a second person decides before they are paid out, each on its own: ${lines}. At most ${most} wait at a time; those beyond are rejected and can be tried again.`,
    uncovered: 'The available balance does not cover the list. Lines are paid out in their order until the balance is used up.',
    sure: (lines) => `Also pay out the lines that repeat a recipient and an amount: ${lines}`,
    start: (lines) => `Pay out ${lines} ${lines === '1' ? 'line' : 'lines'}`,
    stops: {
      balance: 'The available balance does not cover the next line. It stays open.',
      sure: 'Some lines repeat a recipient and an amount. Confirm them, or upload a list without them.',
    },
    progressTitle: 'Progress',
    progress: (done, all) => `${done} of ${all} lines.`,
    asked: (lines) => `${lines} were sent to a second person.`,
    ended: {
      done: (lines) => `Of these, approved and made: ${lines}.`,
      refused: (lines) => `Not approved: ${lines}.`,
      undone: (lines) => `Approved, but failed: ${lines}.`,
    },
    failed: (lines) => `${lines} failed.`,
    unpaid: (payouts) => `Payouts that failed or were cancelled: ${payouts}. Their amounts are back in the balance.`,
    goOn: 'Go on',
    pause: 'Pause',
    retry: 'Try the failed lines again',
    line: 'Line',
    result: 'Payout',
    lineStates: {
      wrong: 'Wrong',
      open: 'Open',
      done: 'Paid out',
      asked: 'Sent for approval',
      failed: 'Rejected',
    },
    repeats: { file: 'Twice in the list', recent: 'Paid in the last 24 hours, or under way' },
    faults: {
      long: (max) =>
        `The list is too long: at most ${max} characters are read. Nothing was checked. Go back to find what you typed, or choose a shorter file.`,
      empty: 'The list has no lines.',
      changed: 'The beneficiary has changed since the list was checked.',
      surplus: 'The line has more cells than there are columns.',
      damaged: (line) =>
        `Line ${line} has characters that could not be read (\uFFFD): save the file as “CSV UTF-8”, or correct them.`,
      csv: (line) => `Line ${line} is not valid CSV: check its quotes.`,
      column: (name) => `There is no column “${name}”.`,
      missing: (name) => `The column “${name}” is missing.`,
      twice: (name) => `The column “${name}” appears twice.`,
      lines: (max) => `The list has more than ${max} lines.`,
    },
  },
  fr: {
    title: 'Virements groupés',
    note: 'La liste est d’abord vérifiée ligne par ligne. Rien n’est viré avant votre confirmation.',
    file: 'Fichier CSV',
    csv: 'Liste au format CSV',
    csvHelp: '500 lignes au plus. La première ligne nomme les colonnes.',
    beginning: 'Début de la liste',
    check: 'Vérifier la liste',
    format: 'Format',
    formatText:
      'Le destinataire est un numéro de téléphone, un numéro de compte ou l’identifiant d’un bénéficiaire. Les cellules sont séparées par des virgules ou des points-virgules ; les colonnes inutiles peuvent être omises.',
    latest: 'Dernières listes',
    latestNote: 'Les listes sont conservées 30 jours.',
    uploaded: 'Importée le (UTC)',
    linesHead: 'Lignes',
    troubled: 'Lignes à examiner',
    state: 'État',
    states: {
      preview: 'Non confirmée',
      paused: 'Inachevée',
      waiting: 'Attend une deuxième personne',
      unpaid: 'Terminée, avec des échecs',
      finished: 'Terminée',
    },
    list: (lines) => `Liste de ${lines} ${lines === '1' ? 'ligne' : 'lignes'}`,
    sums: 'Ce qui sera viré',
    currency: 'Devise',
    amount: 'Montant',
    fees: 'Frais',
    available: 'Disponible maintenant',
    after: 'Disponible ensuite',
    wrong: (lines) => `Lignes erronées, qui ne seront pas virées : ${lines}`,
    second: (lines, most) =>
      `Lignes qu’une deuxième personne doit valider avant le virement, chacune séparément\u00A0: ${lines}. Au plus ${most} attendent à la fois\u00A0; les suivantes sont rejetées et peuvent être réessayées.`,
    uncovered: 'Le solde disponible ne couvre pas la liste. Les lignes sont virées dans l’ordre, tant que le solde suffit.',
    sure: (lines) => `Virer aussi les lignes qui répètent un destinataire et un montant : ${lines}`,
    start: (lines) => `Virer ${lines} ${lines === '1' ? 'ligne' : 'lignes'}`,
    stops: {
      balance: 'Le solde disponible ne couvre pas la ligne suivante. Elle reste à virer.',
      sure: 'Des lignes répètent un destinataire et un montant. Confirmez-les, ou importez une liste qui ne les contient pas.',
    },
    progressTitle: 'Avancement',
    progress: (done, all) => `Lignes traitées : ${done} sur ${all}.`,
    asked: (lines) => `Soumises à une deuxième personne : ${lines}.`,
    ended: {
      done: (lines) => `Dont validées et effectuées\u00A0: ${lines}.`,
      refused: (lines) => `Non validées\u00A0: ${lines}.`,
      undone: (lines) => `Validées, mais échouées\u00A0: ${lines}.`,
    },
    failed: (lines) => `Rejetées : ${lines}.`,
    unpaid: (payouts) => `Virements échoués ou annulés\u00A0: ${payouts}. Leurs montants sont de retour dans le solde.`,
    goOn: 'Continuer',
    pause: 'Suspendre',
    retry: 'Réessayer les lignes rejetées',
    line: 'Ligne',
    result: 'Virement',
    lineStates: {
      wrong: 'Erronée',
      open: 'À virer',
      done: 'Virée',
      asked: 'Soumise à validation',
      failed: 'Rejetée',
    },
    repeats: { file: 'Deux fois dans la liste', recent: 'Virée dans les dernières 24 heures, ou en cours' },
    faults: {
      long: (max) =>
        `La liste est trop longue\u00A0: ${max}\u00A0caractères au plus sont lus. Rien n’a été vérifié. Revenez en arrière pour retrouver votre saisie, ou choisissez un fichier plus court.`,
      empty: 'La liste ne contient aucune ligne.',
      changed: 'Le bénéficiaire a changé depuis la vérification de la liste.',
      surplus: 'La ligne a plus de cellules qu’il n’y a de colonnes.',
      damaged: (line) =>
        `La ligne ${line} contient des caractères illisibles (\uFFFD)\u00A0: enregistrez le fichier au format «\u00A0CSV UTF-8\u00A0», ou corrigez-les.`,
      csv: (line) => `La ligne ${line} n’est pas du CSV valide : vérifiez ses guillemets.`,
      column: (name) => `La colonne « ${name} » n’existe pas.`,
      missing: (name) => `La colonne « ${name} » manque.`,
      twice: (name) => `La colonne « ${name} » figure deux fois.`,
      lines: (max) => `La liste a plus de ${max} lignes.`,
    },
  },
};
