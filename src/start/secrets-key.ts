import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import type { Config } from '../config.ts';

/** SECRETS_KEY, or in development 32 bytes kept in DATA_DIR/secrets.key, made on the first start. */
export function secretsKeyOf(config: Config): Buffer {
  if (config.secrets_key) return config.secrets_key;
  const file = path.join(config.data_dir, 'secrets.key');
  if (!fs.existsSync(file)) writeAtomically(file, `${randomBytes(32).toString('base64')}\n`);
  const key = Buffer.from(fs.readFileSync(file, 'utf8').trim(), 'base64');
  if (key.length !== 32)
    throw new Error(
      `${file} does not hold 32 bytes in base64: restore it from a backup, it opens what is sealed in the databases`,
    );
  return key;
}

/** A file that is whole or not there, readable by its owner only. A second process that was quicker wins. */
export function writeAtomically(file: string, content: string, replace = false): void {
  const temporary = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  fs.writeFileSync(temporary, content, { mode: 0o600, flush: true });
  try {
    if (replace) fs.renameSync(temporary, file);
    else fs.linkSync(temporary, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    fs.rmSync(temporary, { force: true });
  }
}
