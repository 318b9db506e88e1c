import type { KeyKind } from '../../../../../tenants/keys/caller.ts';
import type { KeyState } from '../../../../../tenants/keys/service.ts';
import type { Texts } from '../../../language.ts';

type Name =
  | 'create'
  | 'createNote'
  | 'cancel'
  | 'key'
  | 'kind'
  | 'roleHelp'
  | 'state'
  | 'rights'
  | 'scopes'
  | 'scopesHelp'
  | 'resource'
  | 'read'
  | 'write'
  | 'addresses'
  | 'addressesHelp'
  | 'anyAddress'
  | 'expires'
  | 'never'
  | 'lastDay'
  | 'lastDayNew'
  | 'lastDayHelp'
  | 'created'
  | 'revoked'
  | 'none'
  | 'noneText'
  | 'details'
  | 'id'
  | 'madeTitle'
  | 'madeOnce'
  | 'madeUse'
  | 'madeKept'
  | 'madeBefore'
  | 'activate'
  | 'deactivate'
  | 'revoke'
  | 'revokeWhat'
  | 'revokeWrong'
  | 'roll'
  | 'rollWhat';

type KeyTexts = Record<Name, string> & {
  kinds: Record<KeyKind, string>;
  kindHelp: Record<KeyKind, string>;
  rightsOf: Record<'public' | 'secret', string>;
  states: Record<KeyState, string>;
  overlaps: Record<'1h' | '24h' | '7d', string>;
  faults: Record<'kind' | 'noScopes' | 'fixedScopes' | 'addresses' | 'expires' | 'overlap', string>;
  done: Record<'activate' | 'deactivate' | 'revoke', string>;
  someRights(n: number): string;
  revokeType(last4: string): string;
  overlap(key: string): string;
  oldUntil(at: string): string;
};

export const KEY_TEXTS: Texts<KeyTexts> = {
  en: {
    create: 'Create a key',
    createNote: 'The key is shown on the next page, once.',
    cancel: 'Cancel',
    key: 'Key',
    kind: 'Kind',
    roleHelp: 'Your role cannot create keys that may do more than you may here.',
    state: 'Status',
    rights: 'May do',
    scopes: 'Scopes of a restricted key',
    scopesHelp: 'Write does not include read.',
    resource: 'Resource',
    read: 'Read',
    write: 'Write',
    addresses: 'Allowed addresses',
    addressesHelp: 'IP addresses or ranges such as 203.0.113.7 or 2001:db8::/32, separated by spaces. Empty: every address.',
    anyAddress: 'Every address',
    expires: 'Expires (UTC)',
    never: 'Never',
    lastDay: 'Last day (UTC)',
    lastDayNew: 'Last day of the new key (UTC)',
    lastDayHelp: 'Empty: the key does not expire.',
    created: 'Created (UTC)',
    revoked: 'Revoked (UTC)',
    none: 'No keys yet',
    noneText: 'Your server calls the API with a key.',
    details: 'Details',
    id: 'Id',
    madeTitle: 'Your new key',
    madeOnce: 'Copy the key now. It is not shown again.',
    madeUse: 'It is the value of the Authorization header. Keep it where only your server reads it.',
    madeKept: 'I have stored it',
    madeBefore:
      'This form was already submitted, and its key is not shown again. If you do not have it, revoke it and create another.',
    activate: 'Activate',
    deactivate: 'Deactivate',
    revoke: 'Revoke',
    revokeWhat: 'No call with this key is accepted any more, from this moment on. This cannot be undone.',
    revokeWrong: 'These are not the last characters of the key.',
    roll: 'Roll the key',
    rollWhat: 'A new key with the same rights replaces this one, which stays valid until your servers have the new one.',
    kinds: { public: 'Public key', secret: 'Secret key', restricted: 'Restricted key' },
    kindHelp: {
      public: 'For browsers and apps: it starts payments.',
      secret: 'For your servers: it may do everything.',
      restricted: 'For one program: it may do only what you choose below.',
    },
    rightsOf: { public: 'Start payments', secret: 'Everything' },
    states: { active: 'Active', inactive: 'Inactive', expired: 'Expired', revoked: 'Revoked' },
    overlaps: { '1h': 'for one hour', '24h': 'for 24 hours', '7d': 'for 7 days' },
    faults: {
      kind: 'Choose a kind that your role may create.',
      noScopes: 'A restricted key needs at least one scope.',
      fixedScopes: 'The rights of this kind of key are fixed: choose a restricted key, or no scopes.',
      addresses: 'One of these is not an IP address or range.',
      expires: 'Choose a day from today on, at most ten years away.',
      overlap: 'Choose one of these.',
    },
    done: {
      activate: 'The key is accepted again.',
      deactivate: 'The key is inactive: no call with it is accepted.',
      revoke: 'The key is revoked: no call with it is accepted any more.',
    },
    someRights: (n) => (n === 1 ? '1 scope' : `${n} scopes`),
    revokeType: (last4) => `To confirm, type the last characters of the key: ${last4}`,
    overlap: (key) => `${key} stays valid`,
    oldUntil: (at) => `The old key stays valid until ${at} UTC.`,
  },
  fr: {
    create: 'Créer une clé',
    createNote: 'La clé s’affiche sur la page suivante, une seule fois.',
    cancel: 'Annuler',
    key: 'Clé',
    kind: 'Type',
    roleHelp: 'Votre rôle ne permet pas de créer des clés qui autorisent plus que vous ne pouvez faire ici.',
    state: 'Statut',
    rights: 'Droits',
    scopes: 'Droits d’une clé restreinte',
    scopesHelp: 'L’écriture n’inclut pas la lecture.',
    resource: 'Ressource',
    read: 'Lecture',
    write: 'Écriture',
    addresses: 'Adresses autorisées',
    addressesHelp:
      'Adresses IP ou plages comme 203.0.113.7 ou 2001:db8::/32, séparées par des espaces. Sans indication, toutes les adresses.',
    anyAddress: 'Toutes les adresses',
    expires: 'Expire le (UTC)',
    never: 'Jamais',
    lastDay: 'Dernier jour (UTC)',
    lastDayNew: 'Dernier jour de la nouvelle clé (UTC)',
    lastDayHelp: 'Sans indication, la clé n’expire pas.',
    created: 'Créée le (UTC)',
    revoked: 'Révoquée le (UTC)',
    none: 'Aucune clé pour le moment',
    noneText: 'Votre serveur appelle l’API avec une clé.',
    details: 'Détails',
    id: 'Identifiant',
    madeTitle: 'Votre nouvelle clé',
    madeOnce: 'Copiez la clé maintenant. Elle ne sera plus affichée.',
    madeUse: 'C’est la valeur de l’en-tête Authorization. Conservez-la là où seul votre serveur peut la lire.',
    madeKept: 'Je l’ai conservée',
    madeBefore:
      'Ce formulaire a déjà été envoyé, et sa clé ne peut plus être affichée. Si vous ne l’avez pas, révoquez-la et créez-en une autre.',
    activate: 'Activer',
    deactivate: 'Désactiver',
    revoke: 'Révoquer',
    revokeWhat: 'Dès maintenant, plus aucun appel avec cette clé n’est accepté. Cette action est irréversible.',
    revokeWrong: 'Ce ne sont pas les derniers caractères de la clé.',
    roll: 'Renouveler la clé',
    rollWhat:
      'Une nouvelle clé avec les mêmes droits remplace celle-ci, qui reste valable le temps que vos serveurs reçoivent la nouvelle.',
    kinds: { public: 'Clé publique', secret: 'Clé secrète', restricted: 'Clé restreinte' },
    kindHelp: {
      public: 'Pour les navigateurs et les applications : elle démarre des paiements.',
      secret: 'Pour vos serveurs : elle permet tout.',
      restricted: 'Pour un seul programme : elle ne permet que ce que vous choisissez ci-dessous.',
    },
    rightsOf: { public: 'Démarrer des paiements', secret: 'Tout' },
    states: { active: 'Active', inactive: 'Inactive', expired: 'Expirée', revoked: 'Révoquée' },
    overlaps: { '1h': 'pendant une heure', '24h': 'pendant 24 heures', '7d': 'pendant 7 jours' },
    faults: {
      kind: 'Choisissez un type que votre rôle permet de créer.',
      noScopes: 'Une clé restreinte a besoin d’au moins un droit.',
      fixedScopes: 'Les droits de ce type de clé sont fixes : choisissez une clé restreinte, ou aucun droit.',
      addresses: 'L’une des entrées n’est ni une adresse IP ni une plage.',
      expires: 'Choisissez un jour à partir d’aujourd’hui, dans dix ans au plus tard.',
      overlap: 'Choisissez l’une de ces durées.',
    },
    done: {
      activate: 'La clé est de nouveau acceptée.',
      deactivate: 'La clé est inactive : aucun appel avec elle n’est accepté.',
      revoke: 'La clé est révoquée : plus aucun appel avec elle n’est accepté.',
    },
    someRights: (n) => (n === 1 ? '1 droit' : `${n} droits`),
    revokeType: (last4) => `Pour confirmer, saisissez les derniers caractères de la clé : ${last4}`,
    overlap: (key) => `${key} reste valable`,
    oldUntil: (at) => `L’ancienne clé reste valable jusqu’au ${at} UTC.`,
  },
};
