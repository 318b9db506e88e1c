import fs from 'node:fs';
import { spawnSync } from 'node:child_process';

/** How servers are started that must not run as root. */
export interface Account {
  /** Put before a command. */
  prefix: string[];
  /** Owner of their files; null: the caller. */
  owner: { uid: number; gid: number } | null;
}

const CANDIDATES = ['postgres', 'nobody'];
/** Any but 0: PostgreSQL only looks at the number. */
const MAPPED = '1000';

/**
 * Returns the account of the servers: the caller's own, or an unprivileged one when the caller is root. Within a user namespace,
 * where root is the caller under another number, that number is replaced.
 */
export function serverAccount(): Account {
  if (process.getuid?.() !== 0) return { prefix: [], owner: null };
  if (!isRealRoot()) {
    return { prefix: ['unshare', '--user', `--map-user=${MAPPED}`, `--map-group=${MAPPED}`, '--'], owner: null };
  }
  const lines = fs
    .readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const line = CANDIDATES.map((name) => lines.find(([user]) => user === name)).find((found) => found !== undefined);
  if (!line)
    throw new Error(`this machine has none of the accounts ${CANDIDATES.join(', ')}: run the command as a user that is not root`);
  const [, , uid, gid] = line as [string, string, string, string];
  return {
    prefix: ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--'],
    owner: { uid: Number(uid), gid: Number(gid) },
  };
}

/** Returns whether the account can enter a folder. PostgreSQL and others would fail with messages of their own. */
export function canEnter(account: Account, folder: string): boolean {
  const [program, ...args] = [...account.prefix, 'test', '-w', folder, '-a', '-x', folder] as string[] as [string, ...string[]];
  return spawnSync(program, args).status === 0;
}

/** Returns whether user 0 is the machine's root, and not a user of a namespace. */
export function isRealRoot(): boolean {
  const [, outside] = fs.readFileSync('/proc/self/uid_map', 'utf8').trim().split(/\s+/);
  return process.getuid?.() === 0 && outside === '0';
}

export function give(account: Account, file: string): void {
  if (account.owner) fs.chownSync(file, account.owner.uid, account.owner.gid);
}
