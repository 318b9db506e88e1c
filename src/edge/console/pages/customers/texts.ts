import type { Texts } from '../../language.ts';

interface CustomerTexts {
  title: string;
  count(n: string): string;
  search: string;
  searchHelp: string;
  state: string;
  every: string;
  active: string;
  blocked: string;
  none: string;
  noneText: string;
  noneFound: string;
  noneFoundText: string;
  name: string;
  company: string;
  email: string;
  phone: string;
  taxId: string;
  address: string;
  billing: string;
  created: string;
  erasedAt: string;
  details: string;
  metadata: string;
  payments: string;
  noPayments: string;
  methods: string;
  method: string;
  number: string;
  used: string;
  erased: string;
  erasedText: string;
  actions: Record<'block' | 'unblock' | 'erase' | 'remove', string>;
  /** What was done by the action before. */
  done: Record<'block' | 'unblock' | 'erase' | 'remove', string>;
  erase: {
    title: string;
    what: string;
    effects: readonly string[];
    typeId: string;
    typeEither: string;
    wrong: string;
    submit: string;
    keep: string;
  };
}

export const CUSTOMER_TEXTS: Texts<CustomerTexts> = {
  en: {
    title: 'Customers',
    count: (n) => `${n} ${n === '1' ? 'customer' : 'customers'}`,
    search: 'Search',
    searchHelp: 'Id, name, e-mail, phone or company',
    state: 'State',
    every: 'All',
    active: 'Not blocked',
    blocked: 'Blocked',
    none: 'No customers yet',
    noneText: 'A customer appears here with the first payment of an e-mail address or phone number.',
    noneFound: 'No customer matches',
    noneFoundText: 'Check the filters: all of them apply together.',
    name: 'Name',
    company: 'Company',
    email: 'E-mail',
    phone: 'Phone',
    taxId: 'Tax number',
    address: 'Address',
    billing: 'Billing address',
    created: 'Created (UTC)',
    erasedAt: 'Erased (UTC)',
    details: 'Details',
    metadata: 'Metadata',
    payments: 'Payments',
    noPayments: 'No payments yet',
    methods: 'Saved payment methods',
    method: 'Method',
    number: 'Number',
    used: 'Last used (UTC)',
    erased: 'Erased customer',
    erasedText: 'The personal data of this customer was erased. The payments remain, without it.',
    actions: { block: 'Block', unblock: 'Unblock', erase: 'Erase', remove: 'Delete' },
    done: {
      block: 'The customer is blocked: new payments are rejected.',
      unblock: 'Payments of the customer are accepted again.',
      erase: 'The customer was erased.',
      remove: 'The payment method was deleted.',
    },
    erase: {
      title: 'Erase this customer',
      what: 'An erasure cannot be undone.',
      effects: [
        'Name, e-mail address, phone number and addresses are removed here and from all payments, invoices and events.',
        'Saved payment methods are deleted.',
        'Payments, refunds and the books remain, without personal data.',
      ],
      typeId: 'Type the customer’s id to confirm',
      typeEither: 'Type the customer’s id or e-mail address to confirm',
      wrong: 'is not the id or e-mail address of this customer',
      submit: 'Erase for ever',
      keep: 'Keep the customer',
    },
  },
  fr: {
    title: 'Clients',
    count: (n) => `${n} ${n === '0' || n === '1' ? 'client' : 'clients'}`,
    search: 'Rechercher',
    searchHelp: 'Identifiant, nom, e-mail, téléphone ou entreprise',
    state: 'État',
    every: 'Tous',
    active: 'Non bloqué',
    blocked: 'Bloqué',
    none: 'Aucun client pour le moment',
    noneText: 'Un client apparaît ici dès le premier paiement d’une adresse e-mail ou d’un numéro de téléphone.',
    noneFound: 'Aucun client ne correspond',
    noneFoundText: 'Vérifiez les filtres : ils s’appliquent tous ensemble.',
    name: 'Nom',
    company: 'Entreprise',
    email: 'E-mail',
    phone: 'Téléphone',
    taxId: 'Numéro fiscal',
    address: 'Adresse',
    billing: 'Adresse de facturation',
    created: 'Créé le (UTC)',
    erasedAt: 'Effacé le (UTC)',
    details: 'Détails',
    metadata: 'Métadonnées',
    payments: 'Paiements',
    noPayments: 'Aucun paiement pour le moment',
    methods: 'Moyens de paiement enregistrés',
    method: 'Moyen de paiement',
    number: 'Numéro',
    used: 'Dernière utilisation (UTC)',
    erased: 'Client effacé',
    erasedText: 'Les données personnelles de ce client ont été effacées. Les paiements sont conservés sans elles.',
    actions: { block: 'Bloquer', unblock: 'Débloquer', erase: 'Effacer', remove: 'Supprimer' },
    done: {
      block: 'Le client est bloqué : ses nouveaux paiements sont refusés.',
      unblock: 'Les paiements du client sont de nouveau acceptés.',
      erase: 'Le client a été effacé.',
      remove: 'Le moyen de paiement a été supprimé.',
    },
    erase: {
      title: 'Effacer ce client',
      what: 'Un effacement est définitif.',
      effects: [
        'Le nom, l’adresse e-mail, le téléphone et les adresses sont retirés ici ainsi que des paiements, factures et événements.',
        'Les moyens de paiement enregistrés sont supprimés.',
        'Les paiements, les remboursements et la comptabilité sont conservés, sans données personnelles.',
      ],
      typeId: 'Saisissez l’identifiant du client pour confirmer',
      typeEither: 'Saisissez l’identifiant ou l’adresse e-mail du client pour confirmer',
      wrong: 'ne correspond ni à l’identifiant ni à l’adresse e-mail de ce client',
      submit: 'Effacer définitivement',
      keep: 'Conserver le client',
    },
  },
};
