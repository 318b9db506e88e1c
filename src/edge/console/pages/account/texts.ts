import type { Texts } from '../../language.ts';

interface AccountTexts {
  title: string;
  profile: string;
  name: string;
  nameError: string;
  language: string;
  browserLanguage: string;
  save: string;
  saved: string;
  signingIn: string;
  password: string;
  passwordSet: string;
  passwordNone: string;
  change: string;
  codes: string;
  codesOn: string;
  codesOff: string;
  stolen: string;
  recovery: string;
  recoveryLeft(left: string): string;
  setUp: string;
  manage: string;
  passkeys: string;
  passkeysCount(n: string): string;
  passkeysNone: string;
  sessions: string;
  browser: string;
  address: string;
  lastUsed: string;
  thisOne: string;
  end: string;
  endOthers: string;
  passwordTitle: string;
  passwordNote: string;
  codesTitle: string;
  codesWhy: string;
  scan: string;
  typeIt: string;
  qrAlt: string;
  codeNow: string;
  codeWrong: string;
  turnOn: string;
  later: string;
  turnOff: string;
  renew: string;
  codesNeedPassword: string;
  recoveryTitle: string;
  recoveryText: string;
  recoveryDone: string;
  passkeysTitle: string;
  passkeysText: string;
  passkeysNowhere(host: string): string;
  passkeyName: string;
  passkeyAdd: string;
  passkeyFailed: string;
  added: string;
  used: string;
  never: string;
  remove: string;
  back: string;
  toConsole: string;
  changedNote: string;
}

export const ACCOUNT_TEXTS: Texts<AccountTexts> = {
  en: {
    title: 'Your account',
    profile: 'Name and language',
    name: 'Name',
    nameError: 'A name has 1 to 100 characters.',
    language: 'Language of pages and mails',
    browserLanguage: 'The language of the browser',
    save: 'Save',
    saved: 'Saved.',
    signingIn: 'How you sign in',
    password: 'Password',
    passwordSet: 'Set',
    passwordNone: 'None yet',
    change: 'Change',
    codes: 'One-time codes',
    codesOn: 'On.',
    codesOff: 'Off.',
    stolen: 'A stolen password is enough to sign in.',
    recovery: 'Recovery codes',
    recoveryLeft: (left) => `${left} recovery codes left.`,
    setUp: 'Set up',
    manage: 'Manage',
    passkeys: 'Passkeys',
    passkeysCount: (n) => `${n} registered`,
    passkeysNone: 'None yet',
    sessions: 'Where you are signed in',
    browser: 'Browser',
    address: 'Address',
    lastUsed: 'Last used (UTC)',
    thisOne: 'This browser',
    end: 'Sign out',
    endOthers: 'Sign out everywhere else',
    passwordTitle: 'Change your password',
    passwordNote: 'Your other sessions end.',
    codesTitle: 'One-time codes',
    codesWhy: 'A code from your phone in addition to the password: a stolen password alone does not sign anyone in.',
    scan: 'Scan this picture with an authenticator app (Google Authenticator, Microsoft Authenticator, Aegis or another).',
    typeIt: 'Or type this key into the app:',
    qrAlt: 'QR code with the key for the authenticator app',
    codeNow: 'Code that the app shows now',
    codeWrong: 'The code is wrong. Check that the clock of your phone is right, and enter the newest code.',
    turnOn: 'Turn on',
    later: 'Later',
    turnOff: 'Turn off one-time codes',
    renew: 'Make new recovery codes',
    codesNeedPassword: 'Set a password first.',
    recoveryTitle: 'Keep your recovery codes',
    recoveryText:
      'Each replaces your phone once if you lose it. They are shown only now: print them, or put them into a password manager.',
    recoveryDone: 'I have kept them',
    passkeysTitle: 'Passkeys',
    passkeysText: 'A passkey signs you in with the fingerprint, face or PIN of your phone or computer, without a password.',
    passkeysNowhere: (host) => `Browsers accept no passkey under ${host}: open the console by a host name over https.`,
    passkeyName: 'Name of the device',
    passkeyAdd: 'Add a passkey',
    passkeyFailed: 'The passkey was not added. Try again.',
    added: 'Added',
    used: 'Last used',
    never: 'never',
    remove: 'Remove',
    back: 'Back to your account',
    toConsole: 'Back to the console',
    changedNote: 'Done. Your other sessions have ended, and a mail is on its way to you.',
  },
  fr: {
    title: 'Votre compte',
    profile: 'Nom et langue',
    name: 'Nom',
    nameError: 'Un nom a de 1 à 100 caractères.',
    language: 'Langue des pages et des e-mails',
    browserLanguage: 'Celle du navigateur',
    save: 'Enregistrer',
    saved: 'Enregistré.',
    signingIn: 'Votre connexion',
    password: 'Mot de passe',
    passwordSet: 'Défini',
    passwordNone: 'Aucun',
    change: 'Modifier',
    codes: 'Codes à usage unique',
    codesOn: 'Activés.',
    codesOff: 'Désactivés.',
    stolen: 'Un mot de passe volé suffit pour se connecter.',
    recovery: 'Codes de secours',
    recoveryLeft: (left) => `Codes de secours restants : ${left}.`,
    setUp: 'Configurer',
    manage: 'Gérer',
    passkeys: 'Clés d’accès',
    passkeysCount: (n) => `${n} ${n === '1' ? 'enregistrée' : 'enregistrées'}`,
    passkeysNone: 'Aucune',
    sessions: 'Vos sessions ouvertes',
    browser: 'Navigateur',
    address: 'Adresse',
    lastUsed: 'Dernière utilisation (UTC)',
    thisOne: 'Ce navigateur',
    end: 'Déconnecter',
    endOthers: 'Déconnecter toutes les autres',
    passwordTitle: 'Modifier votre mot de passe',
    passwordNote: 'Vos autres sessions seront fermées.',
    codesTitle: 'Codes à usage unique',
    codesWhy: 'Un code de votre téléphone en plus du mot de passe : un mot de passe volé ne suffit plus pour se connecter.',
    scan: 'Scannez cette image avec une application d’authentification (Google Authenticator, Microsoft Authenticator, Aegis ou une autre).',
    typeIt: 'Ou saisissez cette clé dans l’application :',
    qrAlt: 'Code QR contenant la clé pour l’application d’authentification',
    codeNow: 'Code affiché maintenant par l’application',
    codeWrong: 'Le code est incorrect. Vérifiez l’heure de votre téléphone et saisissez le code le plus récent.',
    turnOn: 'Activer',
    later: 'Plus tard',
    turnOff: 'Désactiver les codes à usage unique',
    renew: 'Créer de nouveaux codes de secours',
    codesNeedPassword: 'Définissez d’abord un mot de passe.',
    recoveryTitle: 'Conservez vos codes de secours',
    recoveryText:
      'Chacun remplace une fois votre téléphone si vous le perdez. Ils ne s’affichent que maintenant : imprimez-les ou enregistrez-les dans un gestionnaire de mots de passe.',
    recoveryDone: 'Je les ai conservés',
    passkeysTitle: 'Clés d’accès',
    passkeysText:
      'Une clé d’accès vous connecte avec l’empreinte, le visage ou le code de votre téléphone ou de votre ordinateur, sans mot de passe.',
    passkeysNowhere: (host) =>
      `Les navigateurs n’acceptent aucune clé d’accès sous ${host} : ouvrez la console par un nom d’hôte en https.`,
    passkeyName: 'Nom de l’appareil',
    passkeyAdd: 'Ajouter une clé d’accès',
    passkeyFailed: 'La clé d’accès n’a pas été ajoutée. Réessayez.',
    added: 'Ajoutée',
    used: 'Dernière utilisation',
    never: 'jamais',
    remove: 'Supprimer',
    back: 'Retour à votre compte',
    toConsole: 'Retour à la console',
    changedNote: 'C’est fait. Vos autres sessions sont fermées et un e-mail vous est envoyé.',
  },
};
