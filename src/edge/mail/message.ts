import type { OutgoingMail } from './outgoing.ts';

/**
 * Converts a mail to nodemailer's format.
 * @param from `Name <address>` or an address
 */
export function messageOf({ id, to, from_name, date, subject, text }: OutgoingMail, from: string) {
  const domain = /@([^@>\s]+)>?\s*$/.exec(from)?.[1] ?? 'localhost';
  const address = /<([^<>]+)>\s*$/.exec(from)?.[1] ?? from;
  return {
    from: from_name === undefined ? from : { name: from_name, address },
    to: { name: '', address: to },
    messageId: `<${id}@${domain}>`,
    date,
    subject,
    text,
    // RFC 3834: prevents automatic replies such as absence notes.
    headers: { 'Auto-Submitted': 'auto-generated' },
  };
}
