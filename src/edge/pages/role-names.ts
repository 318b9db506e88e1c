import type { Role } from '../../tenants/people/roles.ts';

/** Names of the roles within a sentence. */
export const ROLE_NAMES: Readonly<Record<'fr' | 'en', Record<Role, string>>> = {
  fr: {
    owner: 'propriétaire',
    admin: 'administrateur',
    developer: 'développeur',
    finance: 'finance',
    support: 'assistance',
    read_only: 'lecture seule',
  },
  en: {
    owner: 'owner',
    admin: 'administrator',
    developer: 'developer',
    finance: 'finance',
    support: 'support',
    read_only: 'read-only',
  },
};
