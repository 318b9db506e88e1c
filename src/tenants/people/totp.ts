import { Secret, TOTP } from 'otpauth';
import type { Secrets } from '../../kit/crypto.ts';
import { SealError, sealedPlace } from '../../kit/sealing.ts';
import type { Queryable } from '../../kit/sql.ts';
import { useTotpStep } from './factor-store.ts';
import type { UserRow } from './schema.ts';

/** Parameters that authenticator apps expect: SHA-1, six digits, thirty seconds (RFC 6238 and the key URI format). */
const PERIOD_S = 30;
const SECRET_BYTES = 20;
/** Codes of the neighbouring steps are accepted, because the clocks of phones differ. */
const WINDOW = 1;

/** Returns the storage place of a person's secret, so that it cannot be decrypted as that of another person. */
function placeOf(user_id: string): string {
  return sealedPlace('users.totp_sealed', 0n, user_id);
}

function totpOf(secret: Secret, email: string): TOTP {
  return new TOTP({ issuer: 'Pirogue', label: email, algorithm: 'SHA1', digits: 6, period: PERIOD_S, secret });
}

/** A secret that is being set up: the form to be stored once a code has proved it, and the form for the app. */
export interface NewTotp {
  sealed: string;
  /** In base32, for typing. */
  secret: string;
  /** `otpauth://…`, for scanning. */
  uri: string;
}

/** Returns a new secret for a person. Nothing is stored before a code proves that the app has it. */
export function newTotp(secrets: Secrets, user: Pick<UserRow, 'id' | 'email'>): NewTotp {
  return presented(secrets, user, secrets.seal(new Secret({ size: SECRET_BYTES }).base32, placeOf(user.id)));
}

/** Returns the secret that a form carries back; null when it was changed or is another person's. */
export function readNewTotp(secrets: Secrets, user: Pick<UserRow, 'id' | 'email'>, sealed: string): NewTotp | null {
  try {
    return presented(secrets, user, sealed);
  } catch (error) {
    if (error instanceof SealError) return null;
    throw error;
  }
}

function presented(secrets: Secrets, user: Pick<UserRow, 'id' | 'email'>, sealed: string): NewTotp {
  const secret = secrets.open(sealed, placeOf(user.id));
  return { sealed, secret, uri: totpOf(Secret.fromBase32(secret), user.email).toString() };
}

/** Returns the time step of a code; null when it is not a current code of this secret. */
export function stepOfCode({ secret }: Pick<NewTotp, 'secret'>, code: string, at: number): bigint | null {
  if (!/^\d{6}$/.test(code)) return null;
  const delta = totpOf(Secret.fromBase32(secret), '').validate({ token: code, timestamp: at, window: WINDOW });
  return delta === null ? null : BigInt(Math.floor(at / (PERIOD_S * 1000)) + delta);
}

/**
 * Accepts a one-time code of a person, once.
 * @param at milliseconds since the epoch
 */
export async function useTotp(
  db: Queryable,
  secrets: Secrets,
  user: Pick<UserRow, 'id' | 'totp_sealed'>,
  code: string,
  at: number,
): Promise<boolean> {
  if (user.totp_sealed === null) return false;
  const step = stepOfCode({ secret: secrets.open(user.totp_sealed, placeOf(user.id)) }, code, at);
  return step !== null && (await useTotpStep(db, user.id, step));
}
