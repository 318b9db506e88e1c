import type { Store } from '../../platform/db/stores.ts';
import { unreachable } from '../../kit/errors.ts';
import { hostedPageUrl } from '../../core/payments/token.ts';
import { findTeam } from '../../tenants/teams/store.ts';
import type { Sweep } from '../../platform/work/sweep.ts';
import { currentMail } from './current.ts';
import type { MailDeps } from './deps.ts';
import { deleteMailFile } from './files.ts';
import { mailerOf } from './mailer.ts';
import type { Mailer, Sending } from './outgoing.ts';
import { MAILS_KEEP_MS, type MailRow, type MailToSend } from '../../tenants/outbox/schema.ts';
import { claimDueMails, deleteMail, deleteOldTurns, endDroppedLease, markFailed, markSent } from '../../tenants/outbox/store.ts';
import { textOf } from './texts.ts';

export const BATCH = 10;
const FORGET_BATCH = 500;
/** Lease of a mail: twice the deadline of an attempt. A worker that has not reported by then is dead. */
export const LEASE_MS = 60_000;
const FIRST_RETRY_MS = 10_000;
const MAX_RETRY_MS = 3_600_000;
/** Age at which a mail is given up. An older warning is useless, and a mail server is repaired in less time. */
export const GIVE_UP_MS = 48 * 3_600_000;

/** Sends the mails of one environment. A mail may be sent twice, with the same Message-ID, when its worker dies. */
export function mailSweep(deps: MailDeps, store: Store, mailer: Mailer = mailerOf(deps.config)): Sweep {
  return {
    name: 'mail',
    environment: store.environment,
    idle_ms: 1_000,
    round: async () => {
      const due = await claimDueMails(store.db, LEASE_MS, BATCH);
      await Promise.all(due.map((mail) => sendOne(deps, store, mailer, mail)));
      return due.length;
    },
  };
}

/** Deletes the last times of mails with a minimum interval. The mails themselves are dropped by partition (edge/purge). */
export function mailForgetSweep(store: Store): Sweep {
  return {
    name: 'mail-forget',
    environment: store.environment,
    idle_ms: 3_600_000,
    round: () => deleteOldTurns(store.db, MAILS_KEEP_MS, FORGET_BATCH),
  };
}

async function sendOne(deps: MailDeps, store: Store, mailer: Mailer, mail: MailRow): Promise<void> {
  const current = mail.kind === 'dropped' ? null : await currentMail(deps, store, mail);
  if (!current) {
    await deleteMailFile(deps.config.data_dir, { id: mail.id, date: mail.created_at });
    return deleteMail(store.db, mail);
  }
  const sending = await attempt(deps, store, mailer, current);
  if (!(await settle(deps, store, mail, sending))) await endDroppedLease(store.db, mail);
}

/** Stores the outcome of an attempt. @returns false when the mail was dropped meanwhile, or claimed by another worker */
async function settle(deps: MailDeps, store: Store, mail: MailRow, sending: Sending): Promise<boolean> {
  switch (sending.kind) {
    case 'sent':
      return markSent(store.db, mail);
    case 'refused':
      return giveUp(deps, store, mail, sending.error);
    case 'failed':
      if (mail.age_ms >= GIVE_UP_MS) return giveUp(deps, store, mail, sending.error);
      return markFailed(store.db, mail, sending.error, retryDelay(mail.tries));
    default:
      return unreachable(sending);
  }
}

async function attempt(deps: MailDeps, store: Store, mailer: Mailer, mail: MailToSend): Promise<Sending> {
  const team = await findTeam(deps.stores.control, mail.team_id);
  if (!team) return { kind: 'refused', error: 'no such team' };
  const hostedPage = (payment_id: string) => hostedPageUrl(deps, store, team.id, payment_id);
  const text = textOf(mail, { environment: store.environment, team: team.name, language: team, hostedPage });
  const from = mail.kind === 'invoice' || mail.kind === 'receipt' ? { from_name: team.name } : {};
  return mailer.send({ id: mail.id, to: mail.recipient ?? team.email, date: mail.created_at, ...from, ...text });
}

async function giveUp(deps: MailDeps, store: Store, mail: MailRow, error: string): Promise<boolean> {
  deps.log.warn({ mail: mail.id, kind: mail.kind, reason: error, tries: mail.tries }, 'a mail was given up');
  return markFailed(store.db, mail, error, null);
}

/** Returns the wait before the next attempt in milliseconds: doubles from ten seconds up to one hour. */
export function retryDelay(tries: number): number {
  return Math.min(FIRST_RETRY_MS * 2 ** Math.min(tries - 1, 20), MAX_RETRY_MS);
}
