import type { OutgoingMail } from './outgoing.ts';

/** A mail in the words of nodemailer. @param from `Name <address>` or an address */
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
    // RFC 3834: nobody's absence note answers a machine.
    headers: { 'Auto-Submitted': 'auto-generated' },
  };
}
