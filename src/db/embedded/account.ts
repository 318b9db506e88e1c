import { spawnSync } from 'node:child_process';
import fs from 'node:fs';

/** The unprivileged account that runs the server when we are root: PostgreSQL refuses to run as root. */
export interface Account {
  uid: number;
  gid: number;
}

const PREFERRED = ['postgres', 'nobody', 'daemon'];

/**
 * Who runs the server. Null: we do ourselves, being no root. The owner of an existing cluster keeps it, so that
 * data survives a system that gains or loses its `postgres` account.
 */
export function serverAccount(cluster: string): Account | null {
  if (process.getuid?.() !== 0) return null;
  const owner = fs.statSync(cluster, { throwIfNoEntry: false });
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  // initdb looks its user up, so a bare number will not do: it has to be a line of /etc/passwd
  const lines = fs.readFileSync('/etc/passwd', 'utf8').split('\n');
  const accounts = lines.flatMap((line) => {
    const [name = '', , uid, gid] = line.split(':');
    return Number(uid) > 0 ? [{ name, uid: Number(uid), gid: Number(gid) }] : [];
  });
  const chosen = PREFERRED.map((name) => accounts.find((a) => a.name === name)).find(Boolean) ?? accounts.at(0);
  if (chosen) return { uid: chosen.uid, gid: chosen.gid };
  throw new Error('PostgreSQL does not run as root, and /etc/passwd names no other account to run it as');
}

/** True when the account may enter the folder. The kernel is asked: modes alone leave out ACLs. */
export function canEnter(account: Account, folder: string): boolean {
  const test = spawnSync('/bin/sh', ['-c', 'test -x "$0"', folder], { ...account, cwd: '/' });
  return test.status === 0;
}

/** Gives a file or folder to the account; nothing to do when we run the server ourselves. */
export function giveTo(account: Account | null, file: string): void {
  if (account) fs.chownSync(file, account.uid, account.gid);
}
