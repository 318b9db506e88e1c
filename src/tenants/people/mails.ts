import type { Environment } from '../../kit/environment.ts';
import type { Role } from './roles.ts';

/** Retention of mails that are done with: they contain addresses. */
export const USER_MAILS_KEEP_MS = 30 * 86_400_000;

/** What changed in how a person signs in. */
export type SecurityChange =
  | 'password'
  | 'codes_on'
  | 'codes_off'
  | 'recovery_renewed'
  | 'recovery_used'
  | 'passkey_added'
  | 'passkey_removed'
  | 'factors_cleared';

/** Data of the mails to people. A link is named by its id: its address is made when the mail is sent. */
export interface UserMailFacts {
  invitation: { link: string; team: string; by: string | null; role: Role };
  reset: { link: string };
  new_device: { address: string | null; agent: string; at: string };
  security: { change: SecurityChange; at: string };
  /** Names neither people nor amounts: the page shows them to whoever may see them. */
  approval: { team: string; environment: Environment; path: string; step: 'asked' | 'approved' | 'rejected' };
}

/** Null: both languages. */
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
