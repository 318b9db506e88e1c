import type { PublicKeys } from '../../../../tenants/teams/schema.ts';
import type { Texts } from '../../language.ts';

type Name =
  | 'title'
  | 'note'
  | 'team'
  | 'name'
  | 'nameHelp'
  | 'email'
  | 'emailHelp'
  | 'currency'
  | 'currencyHelp'
  | 'seller'
  | 'address'
  | 'addressHelp'
  | 'taxId'
  | 'taxIdHelp'
  | 'payments'
  | 'references'
  | 'referencesLabel'
  | 'referencesHelp'
  | 'yes'
  | 'no'
  | 'publicKeys'
  | 'publicKeysHelp'
  | 'save'
  | 'saved'
  | 'operator'
  | 'plan'
  | 'level'
  | 'retry'
  | 'retryLabel'
  | 'retryHelp'
  | 'on'
  | 'off'
  | 'version'
  | 'id';

type SettingTexts = Record<Name, string> & {
  uses: Record<PublicKeys, string>;
  faults: Record<'name' | 'email' | 'currency' | 'publicKeys' | 'address' | 'taxId', string>;
};

export const SETTING_TEXTS: Texts<SettingTexts> = {
  en: {
    title: 'Settings',
    note: 'They apply to sandbox and live, a second after they were saved.',
    team: 'Team',
    name: 'Name',
    nameHelp: 'Payers see it on payment pages and receipts.',
    email: 'E-mail address',
    emailHelp: 'Receives notices, such as one about an endpoint that fails.',
    currency: 'Default currency',
    currencyHelp: 'For requests that name no currency.',
    seller: 'Invoices',
    address: 'Postal address',
    addressHelp: 'Shown on your invoices, in up to eight lines.',
    taxId: 'Tax identification number',
    taxIdHelp: 'Shown on your invoices: NIU, NINEA, NCC, IFU, …',
    payments: 'Payments and keys',
    references: 'References',
    referencesLabel: 'Reject a reference that another payment has',
    referencesHelp: 'Your shop then cannot create two payments for one order.',
    yes: 'Unique',
    no: 'May repeat',
    publicKeys: 'Public keys',
    publicKeysHelp: 'A public key is readable in your pages: “only pay” is recommended for live.',
    save: 'Save',
    saved: 'The settings were saved.',
    operator: 'Set by the operator',
    plan: 'Plan',
    level: 'Verification level',
    retry: 'Retry after a failed payment',
    retryLabel: 'Offer the form again on the page of a failed payment',
    retryHelp: 'For payments made by the API: the retry is a payment with retry_of, and your shop has to follow it.',
    on: 'On',
    off: 'Off',
    version: 'API version',
    id: 'Team id',
    uses: {
      contract: 'All that the documentation lists for public keys',
      'pay-only': 'Only pay: create, charge and retrieve one payment',
    },
    faults: {
      name: 'Use 1 to 200 characters.',
      email: 'Use an e-mail address such as owner@shop.example.',
      currency: 'Choose one of these currencies.',
      publicKeys: 'Choose one of these.',
      address: 'Use at most 500 characters in eight lines.',
      taxId: 'Use at most 64 characters.',
    },
  },
  fr: {
    title: 'Paramètres',
    note: 'Ils s’appliquent à la sandbox et à la production, une seconde après l’enregistrement.',
    team: 'Équipe',
    name: 'Nom',
    nameHelp: 'Les payeurs le voient sur les pages de paiement et les reçus.',
    email: 'Adresse e-mail',
    emailHelp: 'Reçoit les avis, par exemple sur un point de terminaison en échec.',
    currency: 'Devise par défaut',
    currencyHelp: 'Pour les requêtes qui n’en indiquent aucune.',
    seller: 'Factures',
    address: 'Adresse postale',
    addressHelp: 'Figure sur vos factures, en huit lignes au plus.',
    taxId: 'Numéro d’identification fiscale',
    taxIdHelp: 'Figure sur vos factures : NIU, NINEA, NCC, IFU, etc.',
    payments: 'Paiements et clés',
    references: 'Références',
    referencesLabel: 'Refuser une référence déjà utilisée par un autre paiement',
    referencesHelp: 'Votre boutique ne peut alors pas créer deux paiements pour une même commande.',
    yes: 'Uniques',
    no: 'Répétition permise',
    publicKeys: 'Clés publiques',
    publicKeysHelp: 'Une clé publique est lisible dans vos pages : « payer seulement » est recommandé en production.',
    save: 'Enregistrer',
    saved: 'Les paramètres sont enregistrés.',
    operator: 'Définis par l’exploitant',
    plan: 'Offre',
    level: 'Niveau de vérification',
    retry: 'Nouvelle tentative après un échec',
    retryLabel: 'Proposer de nouveau le formulaire sur la page d’un paiement échoué',
    retryHelp:
      'Pour les paiements créés par l’API : la nouvelle tentative est un paiement avec retry_of, que votre boutique doit suivre.',
    on: 'Activé',
    off: 'Désactivé',
    version: 'Version de l’API',
    id: 'Identifiant de l’équipe',
    uses: {
      contract: 'Tout ce que la documentation prévoit pour les clés publiques',
      'pay-only': 'Payer seulement : créer, débiter et consulter un paiement',
    },
    faults: {
      name: 'Indiquez de 1 à 200 caractères.',
      email: 'Indiquez une adresse e-mail, par exemple gerant@boutique.example.',
      currency: 'Choisissez l’une de ces devises.',
      publicKeys: 'Choisissez l’une de ces options.',
      address: 'Indiquez au plus 500 caractères en huit lignes.',
      taxId: 'Indiquez au plus 64 caractères.',
    },
  },
};
