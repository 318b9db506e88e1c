import type { Texts } from '../../language.ts';

interface SignInTexts {
  title: string;
  email: string;
  password: string;
  signIn: string;
  forgot: string;
  or: string;
  passkey: string;
  passkeyFailed: string;
  rejected: string;
  expired: string;
  limited(minutes: string): string;
  signedOut: string;
  resetDone: string;
  code: string;
  codeTitle: string;
  codeText: string;
  codeHelp: string;
  codeWrong: string;
  continue: string;
  confirmTitle: string;
  confirmText: string;
  confirmAction: string;
  confirmAbandon: string;
  confirmPasskey: string;
  confirmWrong: string;
  confirmNothing: string;
  confirmTooLong: string;
  resetTitle: string;
  resetText: string;
  send: string;
  sentTitle: string;
  sentText: string;
  back: string;
}

export const SIGN_IN_TEXTS: Texts<SignInTexts> = {
  en: {
    title: 'Sign in',
    email: 'E-mail address',
    password: 'Password',
    signIn: 'Sign in',
    forgot: 'Forgot your password?',
    or: 'or',
    passkey: 'Sign in with a passkey',
    passkeyFailed: 'The passkey was not used. Try again, or use your password.',
    rejected: 'E-mail address or password is wrong.',
    expired: 'This took too long. Sign in again.',
    limited: (minutes) => `Too many attempts. Try again in ${minutes} ${minutes === '1' ? 'minute' : 'minutes'}.`,
    signedOut: 'You are signed out.',
    resetDone: 'Your password is changed. Sign in with the new one.',
    code: 'Code',
    codeTitle: 'Confirm it is you',
    codeText: 'Enter the six-digit code that your authenticator app shows.',
    codeHelp: 'Without your phone: enter one of your recovery codes. Each works once.',
    codeWrong: 'The code is wrong, or was used already. Wait for the next one.',
    continue: 'Continue',
    confirmTitle: 'Confirm it is you',
    confirmText: 'What you are about to do needs a new confirmation. It is valid for ten minutes.',
    confirmAction:
      'This needs a new confirmation, which is valid for ten minutes. What you typed is kept, and is carried out once with it.',
    confirmAbandon: 'Do not carry it out',
    confirmPasskey: 'Confirm with a passkey',
    confirmWrong: 'Password or code is wrong.',
    confirmTooLong: 'What was sent is too long. Nothing was done: go back to find what you typed, and shorten it.',
    confirmNothing:
      'You have neither a password nor a passkey yet. Have a link sent to your e-mail address and choose a password.',
    resetTitle: 'Choose a new password',
    resetText: 'We send a link to your e-mail address. It is valid for 30 minutes.',
    send: 'Send the link',
    sentTitle: 'Check your mailbox',
    sentText: 'If this address belongs to an account, a link is on its way to it. It is valid for 30 minutes.',
    back: 'Back to sign-in',
  },
  fr: {
    title: 'Connexion',
    email: 'Adresse e-mail',
    password: 'Mot de passe',
    signIn: 'Se connecter',
    forgot: 'Mot de passe oublié ?',
    or: 'ou',
    passkey: 'Se connecter avec une clé d’accès',
    passkeyFailed: 'La clé d’accès n’a pas été utilisée. Réessayez ou utilisez votre mot de passe.',
    rejected: 'L’adresse e-mail ou le mot de passe est incorrect.',
    expired: 'Le délai est dépassé. Connectez-vous de nouveau.',
    limited: (minutes) => `Trop de tentatives. Réessayez dans ${minutes} ${minutes === '1' ? 'minute' : 'minutes'}.`,
    signedOut: 'Vous êtes déconnecté.',
    resetDone: 'Votre mot de passe est modifié. Connectez-vous avec le nouveau.',
    code: 'Code',
    codeTitle: 'Confirmez votre identité',
    codeText: 'Saisissez le code à six chiffres affiché par votre application d’authentification.',
    codeHelp: 'Sans votre téléphone : saisissez l’un de vos codes de secours. Chacun ne sert qu’une fois.',
    codeWrong: 'Le code est incorrect ou a déjà servi. Attendez le suivant.',
    continue: 'Continuer',
    confirmTitle: 'Confirmez votre identité',
    confirmText: 'Cette opération exige une nouvelle confirmation. Elle est valable dix minutes.',
    confirmAction:
      'Cette opération exige une nouvelle confirmation, valable dix minutes. Votre saisie est conservée\u00A0: l’opération est effectuée une seule fois, dès la confirmation.',
    confirmAbandon: 'Ne pas effectuer l’opération',
    confirmPasskey: 'Confirmer avec une clé d’accès',
    confirmWrong: 'Le mot de passe ou le code est incorrect.',
    confirmTooLong:
      'Ce qui a été envoyé est trop long. Rien n’a été fait\u00A0: revenez en arrière pour retrouver votre saisie et l’abréger.',
    confirmNothing:
      'Vous n’avez encore ni mot de passe ni clé d’accès. Faites-vous envoyer un lien par e-mail et choisissez un mot de passe.',
    resetTitle: 'Choisir un nouveau mot de passe',
    resetText: 'Nous envoyons un lien à votre adresse e-mail. Il est valable 30 minutes.',
    send: 'Envoyer le lien',
    sentTitle: 'Consultez votre messagerie',
    sentText: 'Si cette adresse correspond à un compte, un lien vient de lui être envoyé. Il est valable 30 minutes.',
    back: 'Retour à la connexion',
  },
};
