import fs from 'node:fs';
import path from 'node:path';
import type { Api } from '../setup/api.ts';

/**
 * Returns the files that a service without SMTP has in its folder of mails, oldest first. A worker may delete or rename one after they are listed.
 * @param ending `.eml`: those that are complete
 */
export function mailsIn({ config }: Pick<Api, 'config'>, ending = ''): string[] {
  const folder = path.join(config.data_dir, 'mail');
  if (!fs.existsSync(folder)) return [];
  return fs
    .readdirSync(folder)
    .filter((file) => file.endsWith(ending))
    .sort()
    .flatMap((file) => {
      try {
        return [fs.readFileSync(path.join(folder, file), 'utf8')];
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
        throw error;
      }
    });
}
