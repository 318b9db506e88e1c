import fs from 'node:fs/promises';
import path from 'node:path';
import type { Mailer, OutgoingMail } from './outgoing.ts';
import { messageOf } from './message.ts';

const COMPOSE = { streamTransport: true, buffer: true, disableFileAccess: true, disableUrlAccess: true } as const;

/** Fields that form the name of a mail's file. */
type Named = Pick<OutgoingMail, 'id' | 'date'>;

/**
 * Creates a mailer that writes each mail as an `.eml` file to `mail/` under the data folder, readable by its owner only. A
 * retry writes the same file. Files are written atomically.
 */
export function fileMailer(data_dir: string, from: string): Mailer {
  return {
    send: async (mail) => {
      try {
        const { createTransport } = await import('nodemailer'); // loaded on first use, because most processes send no mail
        const composer = createTransport(COMPOSE);
        const { message } = await composer.sendMail(messageOf(mail, from));
        await fs.mkdir(folderOf(data_dir), { recursive: true, mode: 0o700 });
        await writeWhole(fileOf(data_dir, mail), message as Buffer);
        return { kind: 'sent' };
      } catch (error) {
        return { kind: 'failed', error: (error as NodeJS.ErrnoException).code ?? 'error' };
      }
    },
  };
}

/** Deletes the file of a mail, and a partial file of a process that died. A process with a mail server may still have earlier files. */
export async function deleteMailFile(data_dir: string, mail: Named): Promise<void> {
  const file = fileOf(data_dir, mail);
  await fs.rm(draftOf(file), { force: true });
  await fs.rm(file, { force: true });
}

/** Matches the names of complete and partial files of this module. */
const WRITTEN = /^\d{8}T\d{6}Z-.+\.eml(?:\.tmp)?$/;

/**
 * Deletes the files of mails that were queued before a moment, of all environments and recipients.
 * @returns number of files
 */
export async function deleteMailFilesBefore(data_dir: string, before: Date, limit: number): Promise<number> {
  const folder = folderOf(data_dir);
  const names = await fs.readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const old = names.filter((name) => WRITTEN.test(name) && name < stampOf(before)).slice(0, limit);
  await Promise.all(old.map((name) => fs.rm(path.join(folder, name), { force: true })));
  return old.length;
}

function folderOf(data_dir: string): string {
  return path.join(data_dir, 'mail');
}

/** Returns the file of a mail, whose name sorts by time. */
function fileOf(data_dir: string, { id, date }: Named): string {
  return path.join(folderOf(data_dir), `${stampOf(date)}-${id}.eml`);
}

function stampOf(date: Date): string {
  return date.toISOString().replace(/[-:]|\.\d+/g, '');
}

function draftOf(file: string): string {
  return `${file}.tmp`;
}

async function writeWhole(file: string, bytes: Buffer): Promise<void> {
  const draft = draftOf(file);
  await fs.rm(draft, { force: true });
  await fs.writeFile(draft, bytes, { mode: 0o600, flag: 'wx', flush: true });
  await fs.rename(draft, file);
}
