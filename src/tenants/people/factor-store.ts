import { fixed, type Queryable, sql } from '../../kit/sql.ts';

/**
 * Records that a one-time code was used.
 * @returns false when this code, or a later one, was used before
 */
export async function useTotpStep(db: Queryable, user_id: string, step: bigint): Promise<boolean> {
  return (
    (await db.run(sql`
      update users set totp_step = ${step} where id = ${user_id} and totp_sealed is not null and coalesce(totp_step, -1) < ${step}`)) ===
    1
  );
}

/** Stores the secret of one-time codes with the step of the code that proved it; null removes it. */
export async function setTotp(db: Queryable, id: string, sealed: string | null, step: bigint | null): Promise<void> {
  await db.run(sql`
    update users set totp_sealed = ${sealed}, totp_step = ${step}, updated_at = pirogue_now() where id = ${id}`);
}

/** Replaces the recovery codes of a person. */
export async function replaceRecoveryCodes(db: Queryable, user_id: string, hashes: readonly Buffer[]): Promise<void> {
  await db.run(sql`delete from recovery_codes where user_id = ${user_id}`);
  if (hashes.length === 0) return;
  await db.run(sql`insert into recovery_codes (user_id, hash) select ${user_id}, hash from unnest(${[...hashes]}::bytea[]) hash`);
}

/**
 * Uses a recovery code.
 * @returns false when there is no such code, or it was used before
 */
export async function useRecoveryCode(db: Queryable, user_id: string, hash: Buffer): Promise<boolean> {
  return (
    (await db.run(sql`
      update recovery_codes set used_at = pirogue_now() where user_id = ${user_id} and hash = ${hash} and used_at is null`)) === 1
  );
}

/** Returns how many recovery codes are left. */
export async function countRecoveryCodes(db: Queryable, user_id: string): Promise<number> {
  const [row] = await db.all<{ left: number }>(sql`
    select count(*)::integer as left from recovery_codes where user_id = ${user_id} and used_at is null`);
  return row?.left ?? 0;
}

const passkeyColumns = fixed('id, user_id, public_key, counter, transports, name, created_at, used_at');

export interface PasskeyRow {
  /** Credential id, in base64url. */
  id: string;
  user_id: string;
  public_key: Buffer;
  counter: bigint;
  transports: string[];
  name: string;
  created_at: Date;
  used_at: Date | null;
}

/** Inserts a passkey; false when it is registered already. */
export async function insertPasskey(db: Queryable, key: Omit<PasskeyRow, 'created_at' | 'used_at'>): Promise<boolean> {
  const { id, user_id, public_key, counter, transports, name } = key;
  return (
    (await db.run(sql`
      insert into passkeys (id, user_id, public_key, counter, transports, name)
      values (${id}, ${user_id}, ${public_key}, ${counter}, ${transports}, ${name}) on conflict do nothing`)) === 1
  );
}

/** Returns a passkey by its credential id. */
export function findPasskey(db: Queryable, id: string): Promise<PasskeyRow | undefined> {
  return db.maybe<PasskeyRow>(sql`
    select ${passkeyColumns} from passkeys where id = ${id}`);
}

/** Returns the passkeys of a person, the oldest first. */
export function listPasskeys(db: Queryable, user_id: string): Promise<PasskeyRow[]> {
  return db.all<PasskeyRow>(sql`
    select ${passkeyColumns} from passkeys
    where user_id = ${user_id} order by created_at, id limit 50`);
}

/** Deletes a passkey of a person; false when there is none with this id. */
export async function deletePasskey(db: Queryable, user_id: string, id: string): Promise<boolean> {
  return (await db.run(sql`delete from passkeys where user_id = ${user_id} and id = ${id}`)) === 1;
}

/**
 * Stores the counter that the authenticator reported with a signature.
 * @returns false when the passkey was removed meanwhile
 */
export async function usePasskey(db: Queryable, id: string, counter: bigint): Promise<boolean> {
  return (await db.run(sql`update passkeys set counter = ${counter}, used_at = pirogue_now() where id = ${id}`)) === 1;
}

/** Marks a challenge as answered; false when it was before. */
export async function useChallenge(db: Queryable, hash: Buffer): Promise<boolean> {
  return (
    (await db.run(sql`insert into used_challenges (hash, used_at) values (${hash}, pirogue_now()) on conflict do nothing`)) === 1
  );
}

/** Returns whether a person has a factor beside the password. */
export async function hasSecondFactor(db: Queryable, user_id: string): Promise<boolean> {
  const [row] = await db.all<{ has: boolean }>(sql`
    select totp_sealed is not null or exists (select from passkeys p where p.user_id = users.id) as has from users where id = ${user_id}`);
  return row?.has ?? false;
}

/** Removes every factor of a person but the password. */
export async function clearFactors(db: Queryable, user_id: string): Promise<void> {
  await setTotp(db, user_id, null, null);
  await replaceRecoveryCodes(db, user_id, []);
  await db.run(sql`delete from passkeys where user_id = ${user_id}`);
}
