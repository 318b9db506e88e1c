import type { Texts } from '../../language.ts';

export interface HomeTexts {
  title: string;
  note: string;
  period: string;
  days(n: number): string;
  currency: string;
  collectedToday: string;
  collected: string;
  payments(n: string, one: boolean): string;
  success: string;
  successNote: string;
  confirm: string;
  confirmNote: string;
  refunded(amount: string): string;
  none: string;
  byDay: string;
  byDaySummary(total: string, days: number): string;
  successByDay: string;
  successSummary(rate: string, days: number): string;
  day: string;
  amount: string;
  rate: string;
  asTable: string;
  byChannel: string;
  channel: string;
  ended: string;
  noChannel: string;
  noPayments: string;
  noPaymentsText: string;
  balance: string;
  balanceNote: string;
  attention: string;
  approvals(n: string): string;
  stuck(n: string, minutes: string): string;
  stuckPayouts(n: string): string;
  stuckRefunds(n: string): string;
  returns(n: string): string;
  endpointFailing(url: string): string;
  endpointFull(url: string): string;
  endpointOff(url: string): string;
  float(account: string, amount: string): string;
  key(last4: string, day: string): string;
  keyExpired(last4: string, day: string): string;
}

export const HOME_TEXTS: Texts<HomeTexts> = {
  en: {
    title: 'Home',
    note: 'Days are in UTC. The figures are at most a minute old.',
    period: 'Period',
    days: (n) => `${n} days`,
    currency: 'Currency',
    collectedToday: 'Collected today',
    collected: 'Collected',
    payments: (n, one) => `${n} ${one ? 'payment' : 'payments'}`,
    success: 'Success rate',
    successNote: 'of the payments that a payer tried to pay',
    confirm: 'Time to confirm',
    confirmNote: 'from the charge to the success, on average',
    refunded: (amount) => `${amount} refunded`,
    none: '—',
    byDay: 'Collected by day',
    byDaySummary: (total, days) => `Bar chart: ${total} collected in ${days} days. The table below has each day.`,
    successByDay: 'Success rate by day',
    successSummary: (rate, days) => `Line chart: success rate ${rate} over ${days} days. The table below has each day.`,
    day: 'Day',
    amount: 'Amount',
    rate: 'Success rate',
    asTable: 'Show as a table',
    byChannel: 'Operators and channels',
    channel: 'Channel',
    ended: 'Payments',
    noChannel: 'No channel chosen',
    noPayments: 'Nothing in this period yet',
    noPaymentsText: 'Figures appear here within a minute of a payment that succeeds, fails or expires.',
    balance: 'Balance',
    balanceNote: 'At most three minutes old.',
    attention: 'Needs attention',
    approvals: (n) => `Approvals that wait for your decision: ${n}`,
    stuck: (n, minutes) => `Payments processing for more than ${minutes} minutes: ${n}`,
    stuckPayouts: (n) => `Payouts processing for more than a day: ${n}`,
    stuckRefunds: (n) => `Refunds requested more than a day ago and still processing: ${n}`,
    returns: (n) => `Amounts to return to the payer manually: ${n}`,
    endpointFailing: (url) => `A webhook endpoint keeps failing: ${url}`,
    endpointFull: (url) => `New events are not queued for a webhook endpoint, because its backlog is full: ${url}`,
    endpointOff: (url) => `A webhook endpoint was deactivated: ${url}`,
    float: (account, amount) => `The float at ${account} is low: ${amount}`,
    key: (last4, day) => `The API key that ends in ${last4} expires on ${day}`,
    keyExpired: (last4, day) => `The API key that ends in ${last4} expired on ${day}`,
  },
  fr: {
    title: 'Accueil',
    note: 'Les journées sont en UTC. Les chiffres datent d’une minute au plus.',
    period: 'Période',
    days: (n) => `${n} jours`,
    currency: 'Devise',
    collectedToday: 'Encaissé aujourd’hui',
    collected: 'Encaissé',
    payments: (n, one) => `${n} ${one || n === '0' ? 'paiement' : 'paiements'}`,
    success: 'Taux de réussite',
    successNote: 'des paiements qu’un payeur a tenté de régler',
    confirm: 'Délai de confirmation',
    confirmNote: 'entre le débit et sa confirmation, en moyenne',
    refunded: (amount) => `${amount} remboursés`,
    none: '—',
    byDay: 'Encaissements par jour',
    byDaySummary: (total, days) =>
      `Diagramme en barres : ${total} encaissés en ${days} jours. Le tableau ci-dessous donne chaque jour.`,
    successByDay: 'Taux de réussite par jour',
    successSummary: (rate, days) =>
      `Courbe : taux de réussite de ${rate} sur ${days} jours. Le tableau ci-dessous donne chaque jour.`,
    day: 'Jour',
    amount: 'Montant',
    rate: 'Taux de réussite',
    asTable: 'Afficher le tableau',
    byChannel: 'Opérateurs et canaux',
    channel: 'Canal',
    ended: 'Paiements',
    noChannel: 'Aucun canal choisi',
    noPayments: 'Rien sur cette période pour le moment',
    noPaymentsText: 'Les chiffres apparaissent ici moins d’une minute après qu’un paiement a réussi, échoué ou expiré.',
    balance: 'Solde',
    balanceNote: 'Actualisé il y a trois minutes au plus.',
    attention: 'À traiter',
    approvals: (n) => `Validations qui attendent votre décision : ${n}`,
    stuck: (n, minutes) => `Paiements en cours depuis plus de ${minutes} minutes : ${n}`,
    stuckPayouts: (n) => `Virements en cours depuis plus d’un jour : ${n}`,
    stuckRefunds: (n) => `Remboursements demandés il y a plus d’un jour et toujours en cours : ${n}`,
    returns: (n) => `Sommes à restituer manuellement au payeur : ${n}`,
    endpointFailing: (url) => `Un point de terminaison webhook est en échec : ${url}`,
    endpointFull: (url) =>
      `Les nouveaux événements ne sont plus mis en file pour un point de terminaison webhook, car sa file est pleine : ${url}`,
    endpointOff: (url) => `Un point de terminaison webhook a été désactivé : ${url}`,
    float: (account, amount) => `Le solde chez ${account} est bas : ${amount}`,
    key: (last4, day) => `La clé d’API qui se termine par ${last4} expire le ${day}`,
    keyExpired: (last4, day) => `La clé d’API qui se termine par ${last4} a expiré le ${day}`,
  },
};
