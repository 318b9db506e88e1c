import { type Html, html } from '../../../../kit/html.ts';
import { type PasswordFault, passwordFault } from '../../../../tenants/people/password-rules.ts';
import type { ConsoleLanguage, Texts } from '../../language.ts';
import { secretOf, type Visit } from '../../page.ts';
import { field } from '../../parts/parts.ts';

interface PasswordTexts {
  label: string;
  help: string;
  again: string;
  differs: string;
  faults: Record<PasswordFault, string>;
}

const TEXTS: Texts<PasswordTexts> = {
  en: {
    label: 'New password',
    help: 'At least 12 characters. A few words that nobody else would put together are best.',
    again: 'New password, again',
    differs: 'The two passwords differ.',
    faults: {
      short: 'Use at least 12 characters.',
      long: 'Use at most 200 characters.',
      common: 'This password is one of the first that a guesser tries. Choose another.',
      own: 'Do not use your name or your e-mail address as the password.',
    },
  },
  fr: {
    label: 'Nouveau mot de passe',
    help: 'Au moins 12 caractères. Le mieux : quelques mots que personne d’autre ne réunirait.',
    again: 'Nouveau mot de passe, une seconde fois',
    differs: 'Les deux mots de passe sont différents.',
    faults: {
      short: 'Utilisez au moins 12 caractères.',
      long: 'Utilisez au plus 200 caractères.',
      common: 'Ce mot de passe est l’un des premiers qu’on essaie. Choisissez-en un autre.',
      own: 'N’utilisez ni votre nom ni votre adresse e-mail comme mot de passe.',
    },
  },
};

/** The two fields of a new password. */
export function newPasswordFields(language: ConsoleLanguage, error?: string): Html {
  const { label, help, again } = TEXTS[language];
  const common = { type: 'password', autocomplete: 'new-password', required: true } as const;
  return html`${field({ ...common, name: 'new_password', label, help, error })}${field({ ...common, name: 'new_password_again', label: again })}`;
}

/**
 * Reads the two fields.
 * @param own texts that an attacker tries first for this person
 */
export function readNewPassword(visit: Visit, own: readonly string[]): { password: string } | { error: string } {
  const texts = TEXTS[visit.language];
  const password = secretOf(visit, 'new_password');
  const fault = passwordFault(password, own);
  if (fault) return { error: texts.faults[fault] };
  return password === secretOf(visit, 'new_password_again') ? { password } : { error: texts.differs };
}
