import type { Texts } from '../../../language.ts';

type Name =
  | 'type'
  | 'anyType'
  | 'from'
  | 'to'
  | 'resource'
  | 'endpoints'
  | 'created'
  | 'none'
  | 'noneText'
  | 'noneFound'
  | 'noneFoundText'
  | 'resend';

export const EVENT_TEXTS: Texts<Record<Name, string> & { done: Record<'resend' | 'nowhere', string> }> = {
  en: {
    type: 'Type',
    anyType: 'Every type',
    from: 'From day',
    to: 'To day',
    resource: 'About',
    endpoints: 'Endpoints',
    created: 'Created (UTC)',
    none: 'No events yet',
    noneText: 'Each change of a payment, a refund or a payout is an event. Events are kept for 90 days.',
    noneFound: 'No event matches',
    noneFoundText: 'Check the filters: all of them apply together.',
    resend: 'Send again',
    done: {
      resend: 'The event is on its way again. Reload the page to see the responses.',
      nowhere: 'No active endpoint subscribes to this type of event, so nothing was sent.',
    },
  },
  fr: {
    type: 'Type',
    anyType: 'Tous les types',
    from: 'Du',
    to: 'Au',
    resource: 'Objet',
    endpoints: 'Points de terminaison',
    created: 'Créé le (UTC)',
    none: 'Aucun événement pour le moment',
    noneText:
      'Chaque changement d’un paiement, d’un remboursement ou d’un virement est un événement. Les événements sont conservés 90 jours.',
    noneFound: 'Aucun événement ne correspond',
    noneFoundText: 'Vérifiez les filtres : ils s’appliquent tous ensemble.',
    resend: 'Renvoyer',
    done: {
      resend: 'L’événement est de nouveau en cours d’envoi. Actualisez la page pour voir les réponses.',
      nowhere: 'Aucun point de terminaison actif n’est abonné à ce type d’événement : rien n’a été envoyé.',
    },
  },
};
