import type { Config } from '../../platform/config/config.ts';
import { fileMailer } from './files.ts';
import type { Mailer } from './outgoing.ts';
import { smtpMailer } from './smtp.ts';

export type MailConfig = Pick<Config, 'data_dir' | 'smtp_url' | 'mail_from'>;

/** Returns the mailer of SMTP_URL, or one that writes files under DATA_DIR. */
export function mailerOf(config: MailConfig): Mailer {
  const { data_dir, smtp_url, mail_from } = config;
  return smtp_url === null ? fileMailer(data_dir, mail_from) : smtpMailer(smtp_url, mail_from);
}
