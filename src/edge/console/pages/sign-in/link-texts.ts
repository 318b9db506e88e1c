import type { Texts } from '../../language.ts';

interface LinkTexts {
  deadTitle: string;
  deadText: string;
  signInTitle: string;
  signInText(name: string): string;
  open: string;
  resetTitle: string;
  save: string;
  inviteTitle(team: string): string;
  inviteText(team: string, role: string): string;
  inviteKnown(email: string): string;
  inviteOther(email: string): string;
  name: string;
  nameError: string;
  join: string;
  create: string;
  signIn: string;
  signOut: string;
}

export const LINK_TEXTS: Texts<LinkTexts> = {
  en: {
    deadTitle: 'This link is not valid any more',
    deadText: 'It was used, it was withdrawn, or it is too old. Ask for another one.',
    signInTitle: 'Open the console',
    signInText: (name) => `This link signs you in as ${name}. It works once.`,
    open: 'Open the console',
    resetTitle: 'Choose a new password',
    save: 'Save the password',
    inviteTitle: (team) => `Join ${team}`,
    inviteText: (team, role) => `You are invited to ${team} as: ${role}.`,
    inviteKnown: (email) => `You have an account for ${email}. Sign in to accept the invitation.`,
    inviteOther: (email) =>
      `The invitation is for ${email}, but you are signed in with another address. Sign out, then open the link again.`,
    name: 'Your name',
    nameError: 'A name has 1 to 100 characters.',
    join: 'Join the team',
    create: 'Create the account and join',
    signIn: 'Sign in',
    signOut: 'Sign out',
  },
  fr: {
    deadTitle: 'Ce lien n’est plus valable',
    deadText: 'Il a déjà servi, il a été retiré ou il est trop ancien. Demandez-en un autre.',
    signInTitle: 'Ouvrir la console',
    signInText: (name) => `Ce lien vous connecte en tant que ${name}. Il ne sert qu’une fois.`,
    open: 'Ouvrir la console',
    resetTitle: 'Choisir un nouveau mot de passe',
    save: 'Enregistrer le mot de passe',
    inviteTitle: (team) => `Rejoindre ${team}`,
    inviteText: (team, role) => `Vous êtes invité à rejoindre ${team} avec le rôle : ${role}.`,
    inviteKnown: (email) => `Vous avez un compte pour ${email}. Connectez-vous pour accepter l’invitation.`,
    inviteOther: (email) =>
      `L’invitation est destinée à ${email}, mais vous êtes connecté avec une autre adresse. Déconnectez-vous, puis ouvrez de nouveau le lien.`,
    name: 'Votre nom',
    nameError: 'Un nom a de 1 à 100 caractères.',
    join: 'Rejoindre l’équipe',
    create: 'Créer le compte et rejoindre l’équipe',
    signIn: 'Se connecter',
    signOut: 'Se déconnecter',
  },
};
