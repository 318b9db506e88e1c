import type { Verification } from '../../../../core/accounts/schema.ts';
import type { Texts } from '../../language.ts';

type Name =
  | 'title'
  | 'note'
  | 'none'
  | 'noneText'
  | 'name'
  | 'email'
  | 'phone'
  | 'split'
  | 'status'
  | 'active'
  | 'inactive'
  | 'created'
  | 'new'
  | 'edit'
  | 'owner'
  | 'splitType'
  | 'splitNone'
  | 'splitPercentage'
  | 'splitFixed'
  | 'splitValue'
  | 'splitHelp'
  | 'settlement'
  | 'channel'
  | 'channelNone'
  | 'account'
  | 'accountHelp'
  | 'save'
  | 'keep'
  | 'details'
  | 'profile'
  | 'metadata'
  | 'balance'
  | 'balanceNote'
  | 'statement'
  | 'currency'
  | 'show'
  | 'total'
  | 'onboard'
  | 'onboardNote'
  | 'onboardTitle'
  | 'onboardUntil';

type AccountTexts = Record<Name, string> & {
  verifications: Record<Verification, string>;
  /** The platform's share. */
  share: { percentage(value: string): string; fixed(value: string): string };
  actions: Record<'deactivate' | 'deactivateWhy' | 'reactivate', string>;
  done: Record<'create' | 'update' | 'deactivate' | 'reactivate', string>;
  faults: Record<'value' | 'type', string>;
};

export const ACCOUNT_TEXTS: Texts<AccountTexts> = {
  en: {
    title: 'Subaccounts',
    note: 'Sellers of your marketplace, with whom payments are shared.',
    none: 'No subaccounts yet',
    noneText: 'A subaccount is a seller on your platform: it receives its share of the payments that you make for it.',
    name: 'Name',
    email: 'E-mail address',
    phone: 'Phone number',
    split: 'Your share',
    status: 'Status',
    active: 'Active',
    inactive: 'Inactive',
    created: 'Created',
    new: 'New subaccount',
    edit: 'Edit',
    owner: 'Seller',
    splitType: 'How your share is computed',
    splitNone: 'The platform keeps no share',
    splitPercentage: 'Percentage of each payment',
    splitFixed: 'Fixed amount of each payment',
    splitValue: 'Your share',
    splitHelp: 'Percent, or an amount in the currency of the payment. Existing payments keep the share they were created with.',
    settlement: 'Where its money is paid out',
    channel: 'Operator or bank',
    channelNone: 'Not set yet',
    account: 'Phone or account number',
    accountHelp: 'A phone number for mobile money.',
    save: 'Save',
    keep: 'Go back',
    details: 'Details',
    profile: 'Business profile',
    metadata: 'Metadata',
    balance: 'Balance',
    balanceNote: 'At most three minutes old.',
    statement: 'Statement by day',
    currency: 'Currency',
    show: 'Show',
    total: 'Total',
    onboard: 'Create an onboarding link',
    onboardNote: 'With it, the seller sees what was submitted and the status of the verification.',
    onboardTitle: 'Onboarding link',
    onboardUntil: 'Send it to the seller. It is shown once, and valid until',
    verifications: { pending: 'Verification pending', verified: 'Verified', rejected: 'Rejected' },
    share: { percentage: (value) => `${value}%`, fixed: (value) => `${value} of each payment` },
    actions: {
      deactivate: 'Deactivate',
      deactivateWhy:
        'No payments and no payouts can be created for it any more. Those that exist continue. You can activate it again.',
      reactivate: 'Activate',
    },
    done: {
      create: 'The subaccount was created.',
      update: 'The subaccount was changed.',
      deactivate: 'The subaccount is inactive.',
      reactivate: 'The subaccount is active.',
    },
    faults: { value: 'Type a number such as 5 or 2.5.', type: 'Choose one of these.' },
  },
  fr: {
    title: 'Sous-comptes',
    note: 'Les vendeurs de votre place de marché, avec lesquels les paiements sont partagés.',
    none: 'Aucun sous-compte',
    noneText: 'Un sous-compte est un vendeur de votre plateforme : il reçoit sa part des paiements que vous créez pour lui.',
    name: 'Nom',
    email: 'Adresse e-mail',
    phone: 'Numéro de téléphone',
    split: 'Votre part',
    status: 'Statut',
    active: 'Actif',
    inactive: 'Inactif',
    created: 'Création',
    new: 'Nouveau sous-compte',
    edit: 'Modifier',
    owner: 'Vendeur',
    splitType: 'Calcul de votre part',
    splitNone: 'La plateforme ne retient aucune part',
    splitPercentage: 'Pourcentage de chaque paiement',
    splitFixed: 'Montant fixe sur chaque paiement',
    splitValue: 'Votre part',
    splitHelp:
      'En pour cent, ou un montant dans la devise du paiement. Les paiements existants gardent la part de leur création.',
    settlement: 'Destination de ses fonds',
    channel: 'Opérateur ou banque',
    channelNone: 'Pas encore défini',
    account: 'Numéro de téléphone ou de compte',
    accountHelp: 'Un numéro de téléphone pour le mobile money.',
    save: 'Enregistrer',
    keep: 'Retour',
    details: 'Détails',
    profile: 'Profil de l’entreprise',
    metadata: 'Métadonnées',
    balance: 'Solde',
    balanceNote: 'Actualisé il y a trois minutes au plus.',
    statement: 'Relevé journalier',
    currency: 'Devise',
    show: 'Afficher',
    total: 'Total',
    onboard: 'Créer un lien d’inscription',
    onboardNote: 'Le vendeur y voit ce qui a été transmis et où en est la vérification.',
    onboardTitle: 'Lien d’inscription',
    onboardUntil: 'Envoyez-le au vendeur. Il n’est affiché qu’une fois, et reste valable jusqu’au',
    verifications: { pending: 'Vérification en cours', verified: 'Vérifié', rejected: 'Refusé' },
    share: { percentage: (value) => `${value} %`, fixed: (value) => `${value} sur chaque paiement` },
    actions: {
      deactivate: 'Désactiver',
      deactivateWhy:
        'Aucun paiement ni virement ne peut plus être créé pour lui. Ceux qui existent se poursuivent. Vous pourrez l’activer de nouveau.',
      reactivate: 'Activer',
    },
    done: {
      create: 'Le sous-compte est créé.',
      update: 'Le sous-compte est modifié.',
      deactivate: 'Le sous-compte est inactif.',
      reactivate: 'Le sous-compte est actif.',
    },
    faults: { value: 'Indiquez un nombre, par exemple 5 ou 2,5.', type: 'Choisissez l’une de ces options.' },
  },
};
