import { unreachable } from '../../kit/errors.ts';
import type { SecurityChange, UserMailFacts, UserMailRow } from '../../tenants/people/mails.ts';
import { knownAgent } from '../pages/agent.ts';
import { ROLE_NAMES } from '../pages/role-names.ts';
import type { MailText } from '../pages/texts/mails.ts';
import type { Languages } from './texts.ts';

/** Makes the address of a link from its id. */
type LinkUrl = (link: string) => string;

/** Addresses in mails to people. */
export interface PersonUrls {
  link: LinkUrl;
  /** Address of a page of the console, from its path. */
  page(path: string): string;
}

/** Returns the text of a mail to a person: in their language, or in both. */
export function personText(mail: UserMailRow, urls: PersonUrls): MailText {
  const { fr, en } = languagesOf(mail, urls);
  const { language } = mail.facts;
  if (language === 'fr') return { subject: fr.subject, text: `Bonjour,\n\n${fr.text}\n` };
  if (language === 'en') return { subject: en.subject, text: `Hello,\n\n${en.text}\n` };
  return {
    subject: `${fr.subject} / ${en.subject}`,
    text: `(English below)\n\nBonjour,\n\n${fr.text}\n\n— — —\n\nHello,\n\n${en.text}\n`,
  };
}

function languagesOf(mail: UserMailRow, urls: PersonUrls): Languages {
  switch (mail.kind) {
    case 'invitation':
      return invitation(mail.facts, urls.link);
    case 'reset':
      return reset(mail.facts, urls.link);
    case 'new_device':
      return newDevice(mail.facts);
    case 'security':
      return security(mail.facts);
    case 'approval':
      return approval(mail.facts, urls.page(mail.facts.path));
    default:
      return unreachable(mail);
  }
}

function invitation({ link, role, ...facts }: UserMailFacts['invitation'], linkUrl: LinkUrl): Languages {
  const by = facts.by !== null && isPlainName(facts.by) ? facts.by : null;
  const team = isPlainName(facts.team) ? { fr: facts.team, en: facts.team } : { fr: 'une équipe', en: 'a team' };
  return {
    fr: {
      subject: `Invitation à rejoindre ${team.fr}`,
      text: `${by === null ? 'Vous êtes invité' : `${by} vous invite`} à rejoindre ${team.fr} dans la console Pirogue, avec le rôle : ${ROLE_NAMES.fr[role]}.

Acceptez l’invitation à cette adresse, valable 7 jours :

${linkUrl(link)}

Si vous n’attendez pas cette invitation, ignorez ce message.`,
    },
    en: {
      subject: `Invitation to join ${team.en}`,
      text: `${by === null ? 'You are invited' : `${by} invites you`} to join ${team.en} in the Pirogue console, as: ${ROLE_NAMES.en[role]}.

Accept the invitation at this address, which is valid for 7 days:

${linkUrl(link)}

If you do not expect this invitation, ignore this message.`,
    },
  };
}

/** A name that mail programs would show as a link could lead the reader elsewhere in our name. */
function isPlainName(name: string): boolean {
  return !/[/:@\\]|\.\S/.test(name);
}

function reset({ link }: UserMailFacts['reset'], linkUrl: LinkUrl): Languages {
  return {
    fr: {
      subject: 'Choisir un nouveau mot de passe',
      text: `Quelqu’un a demandé un nouveau mot de passe pour votre compte de la console Pirogue. Si c’est vous, choisissez-le à cette
adresse, valable 30 minutes et une seule fois :

${linkUrl(link)}

Si ce n’est pas vous, ignorez ce message : rien n’a changé.`,
    },
    en: {
      subject: 'Choose a new password',
      text: `Somebody asked for a new password for your account in the Pirogue console. If it was you, choose it at this address, which is
valid for 30 minutes and once:

${linkUrl(link)}

If it was not you, ignore this message: nothing has changed.`,
    },
  };
}

/** Minutes in UTC, as `2026-11-22 13:05`. */
function minute(at: string): string {
  return at.slice(0, 16).replace('T', ' ');
}

/** Whoever signed in chose the user agent: as it is, it could be a text with a link, in our name. */
function newDevice({ address, agent, at }: UserMailFacts['new_device']): Languages {
  const name = knownAgent(agent);
  return {
    fr: {
      subject: 'Connexion depuis un nouveau navigateur',
      text: `Le ${minute(at)} (UTC), quelqu’un s’est connecté à votre compte de la console Pirogue depuis un nouveau navigateur.

Adresse : ${address ?? 'inconnue'}
Navigateur : ${name ?? 'inconnu'}

Si c’est vous, il n’y a rien à faire. Sinon, changez immédiatement votre mot de passe : cela ferme toutes les sessions.`,
    },
    en: {
      subject: 'Sign-in from a new browser',
      text: `On ${minute(at)} (UTC) somebody signed in to your account in the Pirogue console from a browser that is new to us.

Address: ${address ?? 'unknown'}
Browser: ${name ?? 'unknown'}

If it was you, there is nothing to do. If not, change your password at once: that ends all sessions.`,
    },
  };
}

const CHANGES: Readonly<Record<'fr' | 'en', Record<SecurityChange, string>>> = {
  fr: {
    password: 'votre mot de passe a été modifié',
    codes_on: 'les codes à usage unique ont été activés',
    codes_off: 'les codes à usage unique ont été désactivés',
    recovery_renewed: 'de nouveaux codes de secours ont été créés',
    recovery_used: 'un code de secours a été utilisé',
    passkey_added: 'une clé d’accès a été ajoutée',
    passkey_removed: 'une clé d’accès a été supprimée',
    factors_cleared: 'l’exploitant a supprimé les codes à usage unique, les codes de secours et les clés d’accès',
  },
  en: {
    password: 'your password was changed',
    codes_on: 'one-time codes were turned on',
    codes_off: 'one-time codes were turned off',
    recovery_renewed: 'new recovery codes were made',
    recovery_used: 'a recovery code was used',
    passkey_added: 'a passkey was added',
    passkey_removed: 'a passkey was removed',
    factors_cleared: 'the operator removed the one-time codes, the recovery codes and the passkeys',
  },
};

function security({ change, at }: UserMailFacts['security']): Languages {
  return {
    fr: {
      subject: 'La connexion à votre compte a changé',
      text: `Le ${minute(at)} (UTC), ${CHANGES.fr[change]} pour votre compte de la console Pirogue.

Si ce n’est pas vous, choisissez immédiatement un nouveau mot de passe (« Mot de passe oublié ? » sur la page de connexion) et
prévenez un propriétaire de votre équipe.`,
    },
    en: {
      subject: 'How you sign in has changed',
      text: `On ${minute(at)} (UTC) ${CHANGES.en[change]} for your account in the Pirogue console.

If it was not you, choose a new password at once ("Forgot your password?" on the page of the sign-in) and tell an owner of your
team.`,
    },
  };
}

const STEPS: Readonly<Record<'fr' | 'en', Record<UserMailFacts['approval']['step'], { subject: string; text: string }>>> = {
  fr: {
    asked: {
      subject: 'Une validation vous attend',
      text: 'Une opération demande la validation d’une deuxième personne. Elle expire après trois jours.',
    },
    approved: { subject: 'Votre demande a été validée', text: 'Votre demande a été validée par une deuxième personne.' },
    rejected: { subject: 'Votre demande a été refusée', text: 'Votre demande a été refusée par une deuxième personne.' },
  },
  en: {
    asked: {
      subject: 'An approval waits for you',
      text: 'An operation needs the approval of a second person. It expires after three days.',
    },
    approved: { subject: 'Your request was approved', text: 'A second person approved your request.' },
    rejected: { subject: 'Your request was rejected', text: 'A second person rejected your request.' },
  },
};

function approval({ environment, step, ...facts }: UserMailFacts['approval'], url: string): Languages {
  const fr = STEPS.fr[step];
  const en = STEPS.en[step];
  const team = isPlainName(facts.team) ? { fr: facts.team, en: facts.team } : { fr: 'une équipe', en: 'a team' };
  return {
    fr: {
      subject: `${fr.subject} (${team.fr})`,
      text: `${fr.text}

Équipe : ${team.fr} (${environment === 'live' ? 'production' : 'sandbox'})

${url}`,
    },
    en: { subject: `${en.subject} (${team.en})`, text: `${en.text}\n\nTeam: ${team.en} (${environment})\n\n${url}` },
  };
}
