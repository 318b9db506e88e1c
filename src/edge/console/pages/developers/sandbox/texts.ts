import type { Outcome, PayoutSimulation } from '../../../../../providers/adapters/sandbox/codes.ts';
import type { NotTriggered } from '../../../../sandbox-events/sandbox.ts';
import type { Texts } from '../../../language.ts';

type Name =
  | 'onlySandbox'
  | 'toSandbox'
  | 'payment'
  | 'paymentNote'
  | 'ending'
  | 'makePayment'
  | 'wrongEnding'
  | 'event'
  | 'eventNote'
  | 'eventType'
  | 'makeEvent'
  | 'wrongEvent'
  | 'clock'
  | 'clockNote'
  | 'span'
  | 'advance'
  | 'wrongSpan'
  | 'numbers'
  | 'numbersNote'
  | 'endsIn'
  | 'aPayment'
  | 'aPayout'
  | 'refundsFail'
  | 'cards'
  | 'cardsNote'
  | 'number';

type SandboxTexts = Record<Name, string> & {
  outcomes: Record<Outcome['kind'], string>;
  payouts: Record<PayoutSimulation['kind'], string>;
  spans: Record<'10m' | '1h' | '25h' | '8d' | '31d', string>;
  notTriggered: Record<NotTriggered['reason'], string>;
  done: Record<'clock', string>;
};

export const SANDBOX_TEXTS: Texts<SandboxTexts> = {
  en: {
    onlySandbox: 'Test numbers and the clock belong to the sandbox',
    toSandbox: 'Open them in the sandbox',
    payment: 'Make a test payment',
    paymentNote: 'A payment of 5,000 XAF is created and charged to a test number. Its events go to your endpoints.',
    ending: 'Test number',
    makePayment: 'Make the payment',
    wrongEnding: 'Choose one of the test numbers.',
    event: 'Trigger an event',
    eventNote:
      'What causes the event really happens in the sandbox: a payment, a refund, a payout or another. It goes to your endpoints.',
    eventType: 'Event',
    makeEvent: 'Trigger it',
    wrongEvent: 'Choose one of these.',
    notTriggered: {
      no_endpoint: 'No webhook endpoint is active: add one first.',
      not_arrived: 'The event has not arrived after 20 seconds: look at the list of events later.',
    },
    clock: 'Advance the clock',
    clockNote: 'Payments expire, retention ends, and retries are due, for your team only.',
    span: 'By',
    advance: 'Advance',
    wrongSpan: 'Choose one of these.',
    numbers: 'Phone and account numbers',
    numbersNote: 'The last six digits decide the outcome. Every other number succeeds.',
    endsIn: 'Ends in',
    aPayment: 'A payment',
    aPayout: 'A payout',
    refundsFail: 'Succeeds; every refund of it fails',
    cards: 'Test cards',
    cardsNote: 'Any future expiry date and any security code are accepted. Cards are entered on the payment page only.',
    number: 'Number',
    outcomes: {
      succeeds: 'Succeeds',
      refused: 'Declined at once',
      times_out: 'Never confirmed',
      payer_cancels: 'Cancelled by the payer',
      authenticates: 'Requires 3-D Secure, then succeeds',
    },
    payouts: { succeeds: 'Succeeds', fails: 'Fails', cancelled: 'Cancelled' },
    spans: { '10m': '10 minutes', '1h': '1 hour', '25h': '25 hours', '8d': '8 days', '31d': '31 days' },
    done: { clock: 'The time has passed. What is due is processed within two seconds.' },
  },
  fr: {
    onlySandbox: 'Les numéros de test et l’horloge appartiennent à la sandbox',
    toSandbox: 'Les ouvrir dans la sandbox',
    payment: 'Faire un paiement de test',
    paymentNote:
      'Un paiement de 5 000 XAF est créé et débité sur un numéro de test. Ses événements sont envoyés à vos points de terminaison.',
    ending: 'Numéro de test',
    makePayment: 'Faire le paiement',
    wrongEnding: 'Choisissez l’un des numéros de test.',
    event: 'Déclencher un événement',
    eventNote:
      'Ce qui cause l’événement a vraiment lieu dans la sandbox : un paiement, un remboursement, un virement ou autre chose. L’événement est envoyé à vos points de terminaison.',
    eventType: 'Événement',
    makeEvent: 'Déclencher',
    wrongEvent: 'Choisissez l’un de ceux-ci.',
    notTriggered: {
      no_endpoint: 'Aucun point de terminaison webhook n’est actif : ajoutez-en un d’abord.',
      not_arrived: 'L’événement n’est pas arrivé en 20 secondes : consultez la liste des événements plus tard.',
    },
    clock: 'Avancer l’horloge',
    clockNote:
      'Les paiements expirent, la rétention prend fin et les nouvelles tentatives arrivent à échéance, pour votre équipe seulement.',
    span: 'De',
    advance: 'Avancer',
    wrongSpan: 'Choisissez l’une de ces durées.',
    numbers: 'Numéros de téléphone et de compte',
    numbersNote: 'Les six derniers chiffres décident du résultat. Tout autre numéro réussit.',
    endsIn: 'Se termine par',
    aPayment: 'Un paiement',
    aPayout: 'Un virement',
    refundsFail: 'Réussit ; tout remboursement échoue',
    cards: 'Cartes de test',
    cardsNote:
      'Toute date d’expiration future et tout code de sécurité sont acceptés. Les cartes sont saisies sur la page de paiement uniquement.',
    number: 'Numéro',
    outcomes: {
      succeeds: 'Réussit',
      refused: 'Refusé immédiatement',
      times_out: 'Jamais confirmé',
      payer_cancels: 'Annulé par le payeur',
      authenticates: 'Demande 3-D Secure, puis réussit',
    },
    payouts: { succeeds: 'Réussit', fails: 'Échoue', cancelled: 'Annulé' },
    spans: { '10m': '10 minutes', '1h': '1 heure', '25h': '25 heures', '8d': '8 jours', '31d': '31 jours' },
    done: { clock: 'L’horloge a avancé. Ce qui est arrivé à échéance est traité en moins de deux secondes.' },
  },
};
