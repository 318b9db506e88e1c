import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { type Config, ConfigError } from '../config.ts';
import { secretsKeys } from '../config/secrets-keys.ts';
import { fixedKeys, type SealingKey, type SealingKeys, sealingKey } from '../kit/sealing.ts';

const RESTORE = 'restore it from a backup, it opens what is sealed in the databases';

export function keyFilePath({ data_dir }: Pick<Config, 'data_dir'>): string {
  return path.join(data_dir, 'secrets.key');
}

/**
 * Those of SECRETS_KEY, or in development of DATA_DIR/secrets.key.
 * @param first nothing is sealed yet: a file that is missing is made
 */
export function sealingKeysOf(config: Config, first: boolean): SealingKeys {
  if (config.secrets_keys) return fixedKeys(config.secrets_keys);
  const file = keyFilePath(config);
  if (first && !fs.existsSync(file)) writeAtomically(file, `${newSecret()}\n`);
  return new KeyFile(file);
}

/**
 * Keys in a file, one on each line in base64, the current one first. `pirogue secrets rotate` puts a new one there while the
 * service runs: whoever seals looks first, and whoever meets a key it does not know looks again.
 */
export class KeyFile implements SealingKeys {
  readonly #file: string;
  #text = '';
  #keys: SealingKeys;

  constructor(file: string) {
    this.#file = file;
    if (!fs.existsSync(file)) throw new ConfigError(`${file} is gone: ${RESTORE}`);
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

  /** When the keys were last changed. */
  changedAt(): number {
    return fs.statSync(this.#file).mtimeMs;
  }

  /** A new key in front of those there are. The caller sees to it that nobody else changes the file. */
  add(): void {
    this.#write([newSecret(), ...this.#secrets()]);
  }

  /** Without the keys of these ids. */
  drop(ids: readonly string[]): void {
    this.#write(this.#secrets().filter((secret) => !ids.includes(sealingKey(Buffer.from(secret, 'base64')).id)));
  }

  #write(secrets: readonly string[]): void {
    try {
      writeAtomically(this.#file, `${secrets.join('\n')}\n`, true);
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (!['EACCES', 'EPERM', 'EROFS'].includes(code)) throw error;
      throw new ConfigError(`${this.#file} can not be changed by this user: run this as its owner`, { cause: error });
    }
  }

  #secrets(): string[] {
    this.#keys = this.#read();
    return this.#text.split('\n').map((line) => line.trim());
  }

  /** A file that can not be read at this moment takes nothing away from a process that has read it before. */
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
      throw new ConfigError(`${this.#file} can not be used: ${secrets}; ${RESTORE}`);
    }
    this.#text = text;
    return fixedKeys(secrets);
  }
}

function newSecret(): string {
  return randomBytes(32).toString('base64');
}

/**
 * A file that is whole or not there, also after a power cut, readable by its owner only. A second process that was quicker
 * wins. What is replaced keeps its owner: a command run as root must not take a file from the account of the service.
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

/** A new name is there for good when its folder is on the disk. Windows has no such thing. */
function flushFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const handle = fs.openSync(folder, 'r');
  fs.fsyncSync(handle);
  fs.closeSync(handle);
}
