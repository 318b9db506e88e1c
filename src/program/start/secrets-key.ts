import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { type Config, ConfigError } from '../../platform/config/config.ts';
import { secretsKeys } from '../../platform/config/secrets-keys.ts';
import { fixedKeys, type SealingKey, type SealingKeys, sealingKey } from '../../kit/sealing.ts';

const RESTORE = 'restore it from a backup; sealed values in the databases cannot be opened without it';

/** Returns the path of DATA_DIR/secrets.key. */
export function keyFilePath({ data_dir }: Pick<Config, 'data_dir'>): string {
  return path.join(data_dir, 'secrets.key');
}

/**
 * Returns the keys of SECRETS_KEY, or, in development, those of DATA_DIR/secrets.key.
 * @param first whether nothing is encrypted yet: a missing file is then created
 */
export function sealingKeysOf(config: Config, first: boolean): SealingKeys {
  if (config.secrets_keys) return fixedKeys(config.secrets_keys);
  const file = keyFilePath(config);
  if (first && !fs.existsSync(file)) writeAtomically(file, `${newSecret()}\n`);
  return new KeyFile(file);
}

/**
 * Keys in a file, one per line in base64, the current one first. `pirogue secrets rotate` adds a key while the service runs:
 * the file is read again before each encryption, and when a value has an unknown key id.
 */
export class KeyFile implements SealingKeys {
  readonly #file: string;
  #text = '';
  #keys: SealingKeys;

  constructor(file: string) {
    this.#file = file;
    if (!fs.existsSync(file)) throw new ConfigError(`${file} is missing: ${RESTORE}`);
    this.#keys = this.#read();
  }

  current(): SealingKey {
    return this.#newest().current();
  }

  byId(id: string): SealingKey | undefined {
    return this.#keys.byId(id) ?? this.#newest().byId(id);
  }

  ids(): string[] {
    return this.#newest().ids();
  }

  /** Returns the time of the last change in milliseconds since the epoch. */
  changedAt(): number {
    return fs.statSync(this.#file).mtimeMs;
  }

  /** Adds a new key in first place. The caller prevents concurrent changes of the file. */
  add(): void {
    this.#write([newSecret(), ...this.#secrets()]);
  }

  /** Removes the keys with these ids. */
  drop(ids: readonly string[]): void {
    this.#write(this.#secrets().filter((secret) => !ids.includes(sealingKey(Buffer.from(secret, 'base64')).id)));
  }

  #write(secrets: readonly string[]): void {
    try {
      writeAtomically(this.#file, `${secrets.join('\n')}\n`, true);
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (!['EACCES', 'EPERM', 'EROFS'].includes(code)) throw error;
      throw new ConfigError(`${this.#file} cannot be changed by this user: run this as its owner`, { cause: error });
    }
  }

  #secrets(): string[] {
    this.#keys = this.#read();
    return this.#text.split('\n').map((line) => line.trim());
  }

  /** Returns the latest keys. A file that is temporarily unreadable does not affect a process that has read it before. */
  #newest(): SealingKeys {
    try {
      this.#keys = this.#read();
    } catch {
      return this.#keys;
    }
    return this.#keys;
  }

  #read(): SealingKeys {
    const text = fs.readFileSync(this.#file, 'utf8').trim();
    if (text === this.#text) return this.#keys;
    const secrets = secretsKeys(text.split('\n'));
    if (typeof secrets === 'string') {
      throw new ConfigError(`${this.#file} cannot be used: ${secrets}; ${RESTORE}`);
    }
    this.#text = text;
    return fixedKeys(secrets);
  }
}

function newSecret(): string {
  return randomBytes(32).toString('base64');
}

/**
 * Writes a file atomically and durably: it is complete or absent, also after a power failure, and readable by its owner only.
 * Without `replace`, a file that another process created first is kept. A replaced file keeps its owner: a command run as root
 * must not take the file from the service's account.
 */
export function writeAtomically(file: string, content: string, replace = false): void {
  const temporary = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  fs.writeFileSync(temporary, content, { mode: 0o600, flush: true });
  try {
    if (replace) {
      giveToOwnerOf(file, temporary);
      fs.renameSync(temporary, file);
    } else fs.linkSync(temporary, file);
    flushFolder(path.dirname(file));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    fs.rmSync(temporary, { force: true });
  }
}

function giveToOwnerOf(file: string, temporary: string): void {
  if (process.getuid?.() !== 0 || !fs.existsSync(file)) return;
  const { uid, gid } = fs.statSync(file);
  fs.chownSync(temporary, uid, gid);
}

/** A new name is durable only after its folder is flushed to disk. Windows has no such operation. */
function flushFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const handle = fs.openSync(folder, 'r');
  fs.fsyncSync(handle);
  fs.closeSync(handle);
}
