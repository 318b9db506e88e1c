import type { Texts } from '../language.ts';

export type NavName =
  | 'home'
  | 'payments'
  | 'customers'
  | 'balance'
  | 'payouts'
  | 'approvals'
  | 'invoices'
  | 'links'
  | 'disputes'
  | 'subaccounts'
  | 'developers'
  | 'people'
  | 'settings';

interface FrameTexts {
  nav: Record<NavName, string>;
  menu: string;
  skip: string;
  sandbox: string;
  sandboxNote: string;
  live: string;
  toSandbox: string;
  toLive: string;
  teams: string;
  account: string;
  operator: string;
  signOut: string;
  language: string;
  search: string;
  waiting: string;
  problems: { 403: string; 404: string; 429: string; ours: string; other: string };
  problemBack: string;
  requestId: string;
}

export const FRAME_TEXTS: Texts<FrameTexts> = {
  en: {
    nav: {
      home: 'Home',
      payments: 'Payments',
      customers: 'Customers',
      balance: 'Balance',
      payouts: 'Payouts',
      approvals: 'Approvals',
      invoices: 'Invoices',
      links: 'Payment links',
      disputes: 'Disputes',
      subaccounts: 'Subaccounts',
      developers: 'Developers',
      people: 'People',
      settings: 'Settings',
    },
    menu: 'Menu',
    skip: 'Skip to the contents',
    sandbox: 'Sandbox',
    sandboxNote: 'Sandbox: no real money moves here.',
    live: 'Live',
    toSandbox: 'Switch to sandbox',
    toLive: 'Switch to live',
    teams: 'Team',
    account: 'Your account',
    operator: 'All teams',
    signOut: 'Sign out',
    language: 'Language',
    search: 'Search payments',
    waiting: 'waiting for you',
    problems: {
      403: 'You cannot do this',
      404: 'Page not found',
      429: 'Too many attempts',
      ours: 'Something went wrong on our side',
      other: 'This did not work',
    },
    problemBack: 'Go to the console',
    requestId: 'Request id',
  },
  fr: {
    nav: {
      home: 'Accueil',
      payments: 'Paiements',
      customers: 'Clients',
      balance: 'Solde',
      payouts: 'Virements',
      approvals: 'Validations',
      invoices: 'Factures',
      links: 'Liens de paiement',
      disputes: 'Litiges',
      subaccounts: 'Sous-comptes',
      developers: 'Développeurs',
      people: 'Utilisateurs',
      settings: 'Paramètres',
    },
    menu: 'Menu',
    skip: 'Aller au contenu',
    sandbox: 'Sandbox',
    sandboxNote: 'Sandbox : aucun argent réel ne circule ici.',
    live: 'Production',
    toSandbox: 'Passer en sandbox',
    toLive: 'Passer en production',
    teams: 'Équipe',
    account: 'Votre compte',
    operator: 'Toutes les équipes',
    signOut: 'Se déconnecter',
    language: 'Langue',
    search: 'Rechercher un paiement',
    waiting: 'en attente de votre décision',
    problems: {
      403: 'Action non autorisée',
      404: 'Page introuvable',
      429: 'Trop de tentatives',
      ours: 'Une erreur s’est produite de notre côté',
      other: 'L’opération n’a pas abouti',
    },
    problemBack: 'Aller à la console',
    requestId: 'Identifiant de la requête',
  },
};
