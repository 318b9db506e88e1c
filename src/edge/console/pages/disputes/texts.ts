import type { DisputeStatus } from '../../../../core/disputes/states.ts';
import type { Texts } from '../../language.ts';

type Name =
  | 'title'
  | 'none'
  | 'noneText'
  | 'noneFound'
  | 'noneFoundText'
  | 'status'
  | 'anyStatus'
  | 'payment'
  | 'paymentHelp'
  | 'amount'
  | 'reason'
  | 'due'
  | 'opened'
  | 'closed'
  | 'details'
  | 'over'
  | 'needsResponse'
  | 'underReview'
  | 'evidence'
  | 'evidenceNote'
  | 'explanation'
  | 'explanationHelp'
  | 'delivered'
  | 'deliveredHelp'
  | 'tracking'
  | 'trackingHelp'
  | 'documents'
  | 'documentsHelp'
  | 'submit'
  | 'accept'
  | 'acceptTitle'
  | 'acceptWhat'
  | 'acceptWrong'
  | 'keep';

type DisputeTexts = Record<Name, string> & {
  statuses: Record<DisputeStatus, string>;
  /** Names of what the form of evidence sends. */
  fields: Record<'explanation' | 'delivered_on' | 'tracking_number' | 'documents', string>;
  acceptEffects: readonly string[];
  acceptType(amount: string): string;
  faults: Record<'explanation' | 'documents', string>;
  done: Record<'evidence' | 'accept', string>;
};

export const DISPUTE_TEXTS: Texts<DisputeTexts> = {
  en: {
    title: 'Disputes',
    none: 'No disputes',
    noneText: 'A dispute is opened by a payer at the bank or operator. You answer it here.',
    noneFound: 'No dispute matches',
    noneFoundText: 'Change or reset the filters.',
    status: 'Status',
    anyStatus: 'Any status',
    payment: 'Payment',
    paymentHelp: 'Its id, such as trx_…',
    amount: 'Amount',
    reason: 'Reason',
    due: 'Answer by',
    opened: 'Opened',
    closed: 'Closed',
    details: 'Details',
    over: 'The time to answer is over',
    needsResponse:
      'The amount is blocked until the dispute is decided. Without evidence in time, the provider usually decides for the payer.',
    underReview: 'Your evidence was submitted. The amount stays blocked until the provider decides.',
    evidence: 'Evidence',
    evidenceNote: 'It is submitted once, and cannot be changed afterwards.',
    explanation: 'What happened',
    explanationHelp: 'What was ordered and delivered, and why the payment was legitimate.',
    delivered: 'Delivered on',
    deliveredHelp: 'The day, if something was delivered.',
    tracking: 'Tracking number',
    trackingHelp: 'Of the parcel.',
    documents: 'Addresses of documents',
    documentsHelp: 'One https address in each line: receipt, delivery note, messages.',
    submit: 'Submit the evidence',
    accept: 'Accept as lost',
    acceptTitle: 'Accept the dispute as lost',
    acceptWhat: 'You do not contest that the payer gets the money back.',
    acceptWrong: 'This is not the amount of the dispute.',
    keep: 'Go back',
    statuses: { needs_response: 'Needs an answer', under_review: 'Under review', won: 'Won', lost: 'Lost', closed: 'Withdrawn' },
    fields: {
      explanation: 'What happened',
      delivered_on: 'Delivered on',
      tracking_number: 'Tracking number',
      documents: 'Documents',
    },
    acceptEffects: ['The amount goes back to the payer.', 'The dispute is closed. This cannot be undone.'],
    acceptType: (amount) => `Type the amount, ${amount}, to confirm`,
    faults: { explanation: 'Describe what happened.', documents: 'Use one https address in each line, at most twenty.' },
    done: { evidence: 'The evidence was submitted.', accept: 'The dispute was accepted as lost.' },
  },
  fr: {
    title: 'Litiges',
    none: 'Aucun litige',
    noneText: 'Un litige est ouvert par un payeur auprès de sa banque ou de son opérateur. Vous y répondez ici.',
    noneFound: 'Aucun litige ne correspond',
    noneFoundText: 'Modifiez ou réinitialisez les filtres.',
    status: 'Statut',
    anyStatus: 'Tous les statuts',
    payment: 'Paiement',
    paymentHelp: 'Son identifiant, par exemple trx_…',
    amount: 'Montant',
    reason: 'Motif',
    due: 'Date limite de réponse',
    opened: 'Ouverture',
    closed: 'Clôture',
    details: 'Détails',
    over: 'Le délai de réponse est dépassé',
    needsResponse:
      'Le montant est bloqué jusqu’à la décision. Sans justificatifs dans le délai, le prestataire tranche en général en faveur du payeur.',
    underReview: 'Vos justificatifs sont transmis. Le montant reste bloqué jusqu’à la décision du prestataire.',
    evidence: 'Justificatifs',
    evidenceNote: 'Ils sont transmis une seule fois et ne peuvent plus être modifiés ensuite.',
    explanation: 'Ce qui s’est passé',
    explanationHelp: 'Ce qui a été commandé et livré, et pourquoi le paiement était légitime.',
    delivered: 'Livré le',
    deliveredHelp: 'Le jour de la livraison, s’il y en a eu une.',
    tracking: 'Numéro de suivi',
    trackingHelp: 'Celui du colis.',
    documents: 'Adresses des documents',
    documentsHelp: 'Une adresse https par ligne : reçu, bon de livraison, messages.',
    submit: 'Transmettre les justificatifs',
    accept: 'Accepter la perte',
    acceptTitle: 'Accepter la perte du litige',
    acceptWhat: 'Vous ne contestez pas que le payeur récupère l’argent.',
    acceptWrong: 'Ce n’est pas le montant du litige.',
    keep: 'Retour',
    statuses: {
      needs_response: 'Réponse attendue',
      under_review: 'En cours d’examen',
      won: 'Gagné',
      lost: 'Perdu',
      closed: 'Retiré',
    },
    fields: {
      explanation: 'Ce qui s’est passé',
      delivered_on: 'Livré le',
      tracking_number: 'Numéro de suivi',
      documents: 'Documents',
    },
    acceptEffects: ['Le montant est restitué au payeur.', 'Le litige est clos. Cette action est définitive.'],
    acceptType: (amount) => `Saisissez le montant, ${amount}, pour confirmer`,
    faults: {
      explanation: 'Indiquez ce qui s’est passé.',
      documents: 'Indiquez une adresse https par ligne, vingt au plus.',
    },
    done: { evidence: 'Les justificatifs sont transmis.', accept: 'La perte du litige est acceptée.' },
  },
};
