import { unreachable } from '../../kit/errors.ts';
import { APPROVALS_KEEP_MS } from '../../tenants/approvals/schema.ts';
import { forgetApprovals } from '../../tenants/approvals/store.ts';
import { forgetPeople } from '../../tenants/people/forget-store.ts';
import { linkPath } from '../../tenants/people/links.ts';
import { claimUserMails, markUserMailFailed, markUserMailSent } from '../../tenants/people/mail-store.ts';
import { USER_MAILS_KEEP_MS, type UserMailRow } from '../../tenants/people/mails.ts';
import { SESSIONS_KEEP_MS } from '../../tenants/people/session-store.ts';
import type { Sweep } from '../../platform/work/sweep.ts';
import type { MailDeps } from './deps.ts';
import { mailerOf } from './mailer.ts';
import type { Mailer, Sending } from './outgoing.ts';
import { personText } from './people-text.ts';
import { BATCH, GIVE_UP_MS, LEASE_MS, retryDelay } from './sweeps.ts';

const FORGET_BATCH = 500;
const DAY_MS = 86_400_000;
/** How long ended sessions, links, mails and failed attempts are kept. */
const KEPT = { sessions: SESSIONS_KEEP_MS, links: 30 * DAY_MS, mails: USER_MAILS_KEEP_MS, attempts: DAY_MS };

/**
 * Sends the mails to people. They are in the control database; the sweep runs beside those of live. A mail may be sent twice, with the
 * same Message-ID, when its worker dies.
 */
export function userMailSweep(deps: MailDeps, mailer: Mailer = mailerOf(deps.config)): Sweep {
  const { control } = deps.stores;
  return {
    name: 'user-mail',
    environment: 'live',
    idle_ms: 1_000,
    round: async () => {
      const due = await claimUserMails(control, LEASE_MS, BATCH);
      await Promise.all(due.map((mail) => sendOne(deps, mailer, mail)));
      return due.length;
    },
  };
}

/** Deletes sessions, links, mails, attempts and approvals whose retention has ended. */
export function forgetPeopleSweep({ stores: { control } }: Pick<MailDeps, 'stores'>): Sweep {
  return {
    name: 'forget-people',
    environment: 'live',
    idle_ms: 3_600_000,
    round: async () => {
      const forgotten = await forgetPeople(control, KEPT, FORGET_BATCH);
      return forgotten + (await forgetApprovals(control, APPROVALS_KEEP_MS, FORGET_BATCH));
    },
  };
}

async function sendOne(deps: MailDeps, mailer: Mailer, mail: UserMailRow): Promise<void> {
  const { control } = deps.stores;
  const sending = await attempt(deps, mailer, mail);
  switch (sending.kind) {
    case 'sent':
      return markUserMailSent(control, mail.id);
    case 'refused':
      return giveUp(deps, mail, sending.error);
    case 'failed':
      if (mail.age_ms >= GIVE_UP_MS) return giveUp(deps, mail, sending.error);
      return markUserMailFailed(control, mail, sending.error, retryDelay(mail.tries));
    default:
      return unreachable(sending);
  }
}

async function attempt({ config, secrets }: MailDeps, mailer: Mailer, mail: UserMailRow): Promise<Sending> {
  const { console: address } = config;
  if (!address) return { kind: 'failed', error: 'CONSOLE_URL is not set' };
  const urls = { link: (id: string) => address.url + linkPath(secrets, id), page: (path: string) => address.url + path };
  const text = personText(mail, urls);
  return mailer.send({ id: `user-${mail.id}`, to: mail.recipient, date: mail.created_at, ...text });
}

async function giveUp({ log, stores }: MailDeps, mail: UserMailRow, error: string): Promise<void> {
  log.warn({ mail: `user-${mail.id}`, kind: mail.kind, reason: error, tries: mail.tries }, 'a mail was given up');
  await markUserMailFailed(stores.control, mail, error, null);
}
