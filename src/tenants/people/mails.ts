import type { Environment } from '../../kit/environment.ts';
import type { Role } from './roles.ts';

/** Retention of mails that were sent or given up: they contain addresses. */
export const USER_MAILS_KEEP_MS = 30 * 86_400_000;

/** Change of how a person signs in. */
export type SecurityChange =
  | 'password'
  | 'codes_on'
  | 'codes_off'
  | 'recovery_renewed'
  | 'recovery_used'
  | 'passkey_added'
  | 'passkey_removed'
  | 'factors_cleared';

/** Data of the mails to people. A link is stored by its id; its address is built when the mail is sent. */
export interface UserMailFacts {
  invitation: { link: string; team: string; by: string | null; role: Role };
  reset: { link: string };
  new_device: { address: string | null; agent: string; at: string };
  security: { change: SecurityChange; at: string };
  /** Contains no people and no amounts: the page shows them to people who may see them. */
  approval: { team: string; environment: Environment; path: string; step: 'asked' | 'approved' | 'rejected' };
}

/** Language of a mail; null: both languages. */
interface InLanguage {
  language?: string | null;
}

export type UserMailKind = keyof UserMailFacts;

export interface NewUserMail<Kind extends UserMailKind = UserMailKind> {
  kind: Kind;
  facts: UserMailFacts[Kind] & InLanguage;
  recipient: string;
}

/** A claimed row of `user_mails`. */
export type UserMailRow = { [Kind in UserMailKind]: { kind: Kind; facts: UserMailFacts[Kind] & InLanguage } }[UserMailKind] & {
  id: bigint;
  recipient: string;
  /** Number of attempts, including this one. */
  tries: number;
  created_at: Date;
  age_ms: number;
};
