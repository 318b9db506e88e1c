import type { PeopleFault } from '../../../../tenants/people/members.ts';
import type { Role } from '../../../../tenants/people/roles.ts';
import type { Texts } from '../../language.ts';

interface PeopleTexts {
  title: string;
  note: string;
  name: string;
  role: string;
  factor: string;
  factorYes: string;
  factorNo: string;
  seen: string;
  never: string;
  disabled: string;
  you: string;
  change: string;
  invite: string;
  invitations: string;
  email: string;
  until: string;
  resend: string;
  withdraw: string;
  inviteTitle: string;
  inviteText: string;
  send: string;
  emailError: string;
  roleError: string;
  editTitle(name: string): string;
  save: string;
  removeTitle: string;
  removeText(name: string): string;
  remove: string;
  back: string;
  done: { invited: string; withdrawn: string; changed: string; removed: string };
  faults: Record<PeopleFault, string>;
  roles: Record<Role, string>;
  roleTexts: Record<Role, string>;
}

export const PEOPLE_TEXTS: Texts<PeopleTexts> = {
  en: {
    title: 'People',
    note: 'A person has one role in the team, in sandbox and live.',
    name: 'Name',
    role: 'Role',
    factor: 'Second factor',
    factorYes: 'Set up',
    factorNo: 'None',
    seen: 'Last seen (UTC)',
    never: 'not lately',
    disabled: 'Disabled',
    you: 'You',
    change: 'Change',
    invite: 'Invite somebody',
    invitations: 'Open invitations',
    email: 'E-mail address',
    until: 'Valid until (UTC)',
    resend: 'Send again',
    withdraw: 'Withdraw',
    inviteTitle: 'Invite somebody',
    inviteText: 'The invitation is sent by mail and is valid for 7 days.',
    send: 'Send the invitation',
    emailError: 'Enter an e-mail address such as awa@shop.example.',
    roleError: 'Choose a role.',
    editTitle: (name) => `Role of ${name}`,
    save: 'Save the role',
    removeTitle: 'Remove from the team',
    removeText: (name) => `${name} loses access to this team at once. What they did stays in the audit trail.`,
    remove: 'Remove',
    back: 'Back to people',
    done: {
      invited: 'The invitation is on its way.',
      withdrawn: 'The invitation is withdrawn: its link is not valid any more.',
      changed: 'The role is changed.',
      removed: 'The person is not in the team any more.',
    },
    faults: {
      owners: 'Only an owner appoints owners, and changes or removes them.',
      last_owner: 'A team keeps at least one owner. Appoint another one first.',
      own_role: 'Nobody raises their own role.',
      member: 'This person is in the team already.',
      rejoined: 'This person has left the team and joined it again since you opened the page. Nothing was changed.',
      many: 'The team has sent many invitations. Try again in 15 minutes.',
    },
    roles: {
      owner: 'Owner',
      admin: 'Administrator',
      developer: 'Developer',
      finance: 'Finance',
      support: 'Support',
      read_only: 'Read-only',
    },
    roleTexts: {
      owner: 'everything',
      admin: 'everything but appoint owners',
      developer: 'the whole API and keys in the sandbox; keys, endpoints and events in live',
      finance: 'payments, refunds, payouts, customers, invoices, links, disputes, subaccounts, approvals',
      support: 'payments, refunds, customers, invoices, links, disputes, resending of events',
      read_only: 'reads, changes nothing',
    },
  },
  fr: {
    title: 'Utilisateurs',
    note: 'Chaque personne a un rôle dans l’équipe, en sandbox comme en production.',
    name: 'Nom',
    role: 'Rôle',
    factor: 'Second facteur',
    factorYes: 'Configuré',
    factorNo: 'Aucun',
    seen: 'Dernière activité (UTC)',
    never: 'pas récemment',
    disabled: 'Désactivé',
    you: 'Vous',
    change: 'Modifier',
    invite: 'Inviter une personne',
    invitations: 'Invitations en cours',
    email: 'Adresse e-mail',
    until: 'Valable jusqu’au (UTC)',
    resend: 'Renvoyer',
    withdraw: 'Retirer',
    inviteTitle: 'Inviter une personne',
    inviteText: 'L’invitation est envoyée par e-mail et reste valable 7 jours.',
    send: 'Envoyer l’invitation',
    emailError: 'Saisissez une adresse e-mail, par exemple awa@boutique.example.',
    roleError: 'Choisissez un rôle.',
    editTitle: (name) => `Rôle de ${name}`,
    save: 'Enregistrer le rôle',
    removeTitle: 'Retirer de l’équipe',
    removeText: (name) => `${name} perd immédiatement l’accès à cette équipe. Ses actions restent dans le journal d’audit.`,
    remove: 'Retirer',
    back: 'Retour aux utilisateurs',
    done: {
      invited: 'L’invitation est en cours d’envoi.',
      withdrawn: 'L’invitation est retirée : son lien n’est plus valable.',
      changed: 'Le rôle est modifié.',
      removed: 'Cette personne ne fait plus partie de l’équipe.',
    },
    faults: {
      owners: 'Seul un propriétaire peut nommer, modifier ou retirer un propriétaire.',
      last_owner: 'Une équipe garde au moins un propriétaire. Nommez-en d’abord un autre.',
      own_role: 'Nul ne peut élever son propre rôle.',
      member: 'Cette personne fait déjà partie de l’équipe.',
      rejoined: 'Depuis l’ouverture de la page, cette personne a quitté l’équipe puis l’a rejointe : rien n’a été modifié.',
      many: 'L’équipe a envoyé beaucoup d’invitations. Réessayez dans 15 minutes.',
    },
    roles: {
      owner: 'Propriétaire',
      admin: 'Administrateur',
      developer: 'Développeur',
      finance: 'Finance',
      support: 'Assistance',
      read_only: 'Lecture seule',
    },
    roleTexts: {
      owner: 'tout',
      admin: 'tout, sauf nommer des propriétaires',
      developer: 'toute l’API et les clés en sandbox ; clés, points de terminaison et événements en production',
      finance: 'paiements, remboursements, virements, clients, factures, liens, litiges, sous-comptes, validations',
      support: 'paiements, remboursements, clients, factures, liens, litiges, renvoi d’événements',
      read_only: 'consulte, ne modifie rien',
    },
  },
};
