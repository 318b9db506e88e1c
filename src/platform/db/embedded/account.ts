import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { ConfigError } from '../../../kit/config-error.ts';

/** Unprivileged account for the server when this process is root, because PostgreSQL does not run as root. */
export interface Account {
  uid: number;
  gid: number;
}

const PREFERRED = ['postgres', 'nobody', 'daemon'];

/**
 * Returns the account for the server, or null when this process is not root and runs it itself. An existing cluster keeps its
 * owner, so that data survives when the system gains or loses its `postgres` account.
 * @throws ConfigError when /etc/passwd has no suitable account
 */
export function serverAccount(cluster: string): Account | null {
  if (process.getuid?.() !== 0) return null;
  const owner = fs.statSync(cluster, { throwIfNoEntry: false });
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  // initdb looks up its user, so the uid must have an entry in /etc/passwd.
  const lines = fs.readFileSync('/etc/passwd', 'utf8').split('\n');
  const accounts = lines.flatMap((line) => {
    const [name = '', , uid, gid] = line.split(':');
    return Number(uid) > 0 ? [{ name, uid: Number(uid), gid: Number(gid) }] : [];
  });
  const chosen = PREFERRED.map((name) => accounts.find((a) => a.name === name)).find(Boolean) ?? accounts.at(0);
  if (chosen) return { uid: chosen.uid, gid: chosen.gid };
  throw new ConfigError('PostgreSQL does not run as root, and /etc/passwd names no other account to run it as');
}

/** Returns whether the account may enter the folder. Tested through the kernel, because modes do not include ACLs. */
export function canEnter(account: Account, folder: string): boolean {
  const test = spawnSync('/bin/sh', ['-c', 'test -x "$0"', folder], { ...account, cwd: '/' });
  return test.status === 0;
}

/** Gives a file or folder to the account; does nothing when this process runs the server itself. */
export function giveTo(account: Account | null, file: string): void {
  if (account) fs.chownSync(file, account.uid, account.gid);
}
