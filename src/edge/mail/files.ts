import fs from 'node:fs/promises';
import path from 'node:path';
import type { Mailer, OutgoingMail } from './outgoing.ts';
import { messageOf } from './message.ts';

const COMPOSE = { streamTransport: true, buffer: true, disableFileAccess: true, disableUrlAccess: true } as const;

/**
 * Creates a mailer that writes each mail as an `.eml` file to `mail/` under the data folder, readable by its owner only. A
 * retry writes the same file. Files are written atomically.
 */
export function fileMailer(data_dir: string, from: string): Mailer {
  const folder = path.join(data_dir, 'mail');
  return {
    send: async (mail) => {
      try {
        const { createTransport } = await import('nodemailer'); // here, because most processes send no mail
        const composer = createTransport(COMPOSE);
        const { message } = await composer.sendMail(messageOf(mail, from));
        await fs.mkdir(folder, { recursive: true, mode: 0o700 });
        await writeWhole(path.join(folder, nameOf(mail)), message as Buffer);
        return { kind: 'sent' };
      } catch (error) {
        return { kind: 'failed', error: (error as NodeJS.ErrnoException).code ?? 'error' };
      }
    },
    forget: (mail) => fs.rm(path.join(folder, nameOf(mail)), { force: true }),
  };
}

/** Returns a file name that sorts by time. */
function nameOf({ id, date }: Pick<OutgoingMail, 'id' | 'date'>): string {
  return `${date.toISOString().replace(/[-:]|\.\d+/g, '')}-${id}.eml`;
}

async function writeWhole(file: string, bytes: Buffer): Promise<void> {
  const draft = `${file}.tmp`;
  await fs.rm(draft, { force: true });
  await fs.writeFile(draft, bytes, { mode: 0o600, flag: 'wx', flush: true });
  await fs.rename(draft, file);
}
