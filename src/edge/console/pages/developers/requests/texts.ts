import type { Texts } from '../../../language.ts';

type Name =
  | 'result'
  | 'anyResult'
  | 'method'
  | 'anyMethod'
  | 'day'
  | 'callerFilter'
  | 'requestId'
  | 'request'
  | 'time'
  | 'caller'
  | 'at'
  | 'none'
  | 'noneText'
  | 'noneFound'
  | 'noneFoundText'
  | 'partly'
  | 'off';

interface RequestTexts extends Record<Name, string> {
  results: Record<'failed' | '2xx' | '4xx' | '5xx', string>;
  /** @param most requests that are kept of a day */
  full(most: string, days: string): string;
}

export const REQUEST_TEXTS: Texts<RequestTexts> = {
  en: {
    result: 'Status',
    anyResult: 'Every status',
    results: { failed: 'Failed (4xx, 5xx)', '2xx': 'Succeeded (2xx)', '4xx': 'Rejected (4xx)', '5xx': 'Our fault (5xx)' },
    method: 'Method',
    anyMethod: 'Every method',
    day: 'Day (UTC)',
    callerFilter: 'Key or person',
    requestId: 'Request id',
    request: 'Request',
    time: 'Time',
    caller: 'Made by',
    at: 'Received (UTC)',
    none: 'No requests yet',
    noneText: 'Requests with a key of this environment appear here a moment after they were answered, and stay for 7 days.',
    noneFound: 'No request matches',
    noneFoundText: 'Check the filters: all of them apply together. Requests are kept for 7 days.',
    partly: 'Only a part of the log has been searched. The next page continues from there.',
    off: 'The request log is off in this installation (REQUEST_LOG=off).',
    full: (most, days) => `At most ${most} requests of a day are kept. Later ones are missing for: ${days}.`,
  },
  fr: {
    result: 'Statut',
    anyResult: 'Tous les statuts',
    results: {
      failed: 'En échec (4xx, 5xx)',
      '2xx': 'Réussies (2xx)',
      '4xx': 'Rejetées (4xx)',
      '5xx': 'Erreurs de notre côté (5xx)',
    },
    method: 'Méthode',
    anyMethod: 'Toutes les méthodes',
    day: 'Jour (UTC)',
    callerFilter: 'Clé ou personne',
    requestId: 'Identifiant de requête',
    request: 'Requête',
    time: 'Durée',
    caller: 'Effectuée par',
    at: 'Reçue le (UTC)',
    none: 'Aucune requête pour le moment',
    noneText:
      'Les requêtes faites avec une clé de cet environnement apparaissent ici peu après leur réponse et sont conservées 7 jours.',
    noneFound: 'Aucune requête ne correspond',
    noneFoundText: 'Vérifiez les filtres : ils s’appliquent tous ensemble. Les requêtes sont conservées 7 jours.',
    partly: 'Seule une partie du journal a été parcourue. La page suivante continue à partir de là.',
    off: 'Le journal des requêtes est désactivé sur cette installation (REQUEST_LOG=off).',
    full: (most, days) => `Au plus ${most} requêtes par jour sont conservées. Les suivantes manquent pour : ${days}.`,
  },
};
