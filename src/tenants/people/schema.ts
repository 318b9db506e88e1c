import type { Role } from './roles.ts';

/** A person, with the fields that pages need. */
export interface User {
  id: string;
  email: string;
  name: string;
  locale: string | null;
  /** Whether the person is an operator of the installation. */
  operator: boolean;
  disabled_at: Date | null;
}

/** A user with the factors that a sign-in verifies. */
export interface UserRow extends User {
  /** Argon2id in the PHC string format; null without a password. */
  password: string | null;
  /** Encrypted; null without one-time codes. */
  totp_sealed: string | null;
  totp_step: bigint | null;
}

/** A team of a person, with the role in it. */
export interface Membership {
  team_id: bigint;
  team_name: string;
  role: Role;
}

/** A session that is neither ended nor revoked, with its user and their teams. */
export interface Session {
  id: string;
  user: User;
  memberships: readonly Membership[];
  /** Milliseconds since the epoch. */
  created_at: number;
  /** When a factor was last presented, in milliseconds since the epoch. */
  proved_at: number;
}
