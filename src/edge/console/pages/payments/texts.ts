import type { PaymentStatus } from '../../../../core/payments/states.ts';
import type { Texts } from '../../language.ts';

interface PaymentTexts {
  title: string;
  count(n: string): string;
  amount: string;
  status: string;
  customer: string;
  reference: string;
  channel: string;
  created: string;
  search: string;
  searchHelp: string;
  anyStatus: string;
  from: string;
  to: string;
  min: string;
  max: string;
  moreFilters: string;
  views: string;
  all: string;
  export: string;
  none: string;
  noneText: string;
  noneFound: string;
  noneFoundText: string;
  statuses: Record<PaymentStatus, string>;
}

export const PAYMENT_TEXTS: Texts<PaymentTexts> = {
  en: {
    title: 'Payments',
    count: (n) => `${n} in this list`,
    amount: 'Amount',
    status: 'Status',
    customer: 'Customer',
    reference: 'Reference',
    channel: 'Channel',
    created: 'Created (UTC)',
    search: 'Search',
    searchHelp: 'Id, reference, name, e-mail or phone',
    anyStatus: 'Every status',
    from: 'From day',
    to: 'To day',
    min: 'Minimum amount',
    max: 'Maximum amount',
    moreFilters: 'More filters',
    views: 'Views',
    all: 'All',
    export: 'Export as CSV',
    none: 'No payments yet',
    noneText: 'A payment appears here as soon as your shop creates one.',
    noneFound: 'No payment matches',
    noneFoundText: 'Check the filters: all of them apply together.',
    statuses: {
      pending: 'Pending',
      processing: 'Processing',
      partial: 'Partly paid',
      succeeded: 'Succeeded',
      failed: 'Failed',
      cancelled: 'Cancelled',
      expired: 'Expired',
      refunded: 'Refunded',
      partially_refunded: 'Partly refunded',
    },
  },
  fr: {
    title: 'Paiements',
    count: (n) => `${n} dans cette liste`,
    amount: 'Montant',
    status: 'Statut',
    customer: 'Client',
    reference: 'Référence',
    channel: 'Canal',
    created: 'Créé le (UTC)',
    search: 'Rechercher',
    searchHelp: 'Identifiant, référence, nom, e-mail ou téléphone',
    anyStatus: 'Tous les statuts',
    from: 'Du',
    to: 'Au',
    min: 'Montant minimum',
    max: 'Montant maximum',
    moreFilters: 'Plus de filtres',
    views: 'Vues',
    all: 'Tous',
    export: 'Exporter en CSV',
    none: 'Aucun paiement pour le moment',
    noneText: 'Un paiement apparaît ici dès que votre boutique en crée un.',
    noneFound: 'Aucun paiement ne correspond',
    noneFoundText: 'Vérifiez les filtres : ils s’appliquent tous ensemble.',
    statuses: {
      pending: 'En attente',
      processing: 'En cours',
      partial: 'Payé en partie',
      succeeded: 'Réussi',
      failed: 'Échoué',
      cancelled: 'Annulé',
      expired: 'Expiré',
      refunded: 'Remboursé',
      partially_refunded: 'Remboursé en partie',
    },
  },
};
