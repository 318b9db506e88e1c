import { isLocalhostName, isLoopbackAddress } from '../../kit/addresses.ts';
import type { Mailer, Sending } from './outgoing.ts';
import { messageOf } from './message.ts';

/** Deadline over everything: lookup, connection, TLS, login and the mail itself. */
const DEADLINE_MS = 30_000;

/** Creates a mailer for a mail server. It opens one connection per mail, because mails are few. */
export function smtpMailer(url: string, from: string, deadline_ms = DEADLINE_MS): Mailer {
  const options = {
    ...serverOf(new URL(url)),
    connectionTimeout: deadline_ms,
    greetingTimeout: deadline_ms,
    socketTimeout: deadline_ms,
    dnsTimeout: deadline_ms,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
  return {
    send: async (mail) => {
      try {
        const { createTransport } = await import('nodemailer'); // loaded on first use, because most processes send no mail
        await createTransport(options).sendMail({ ...messageOf(mail, from), signal: AbortSignal.timeout(deadline_ms) });
        return { kind: 'sent' };
      } catch (error) {
        return failureOf(error);
      }
    },
  };
}

/**
 * Returns the transport options of an SMTP URL. The password is never sent unencrypted: `smtp:` requires STARTTLS, except on
 * loopback or with `?tls=off`.
 */
export function serverOf({ protocol, hostname, port, username, password, searchParams }: URL) {
  const secure = protocol === 'smtps:';
  const host = hostname.replace(/^\[|\]$/g, '');
  const local = isLocalhostName(host) || isLoopbackAddress(host);
  const clear = !secure && (local || searchParams.get('tls') === 'off');
  return {
    host,
    port: Number(port) || (secure ? 465 : 587),
    secure,
    requireTLS: !secure && !clear,
    ignoreTLS: clear,
    ...(username ? { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } } : {}),
  };
}

/**
 * Classifies an error. Only a rejection of the recipient is permanent: a wrong password or a full disk on the server may be
 * corrected.
 */
function failureOf(error: unknown): Sending {
  const { code = 'error', responseCode, command } = error as { code?: string; responseCode?: number; command?: string };
  const text = responseCode ? `${code} ${responseCode}` : code;
  const refused = command === 'RCPT TO' && responseCode !== undefined && responseCode >= 500;
  return { kind: refused ? 'refused' : 'failed', error: text };
}
