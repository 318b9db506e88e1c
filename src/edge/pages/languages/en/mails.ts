import type { MailTexts } from '../../texts/mails.ts';

export const mails: MailTexts = {
  below: '(English below)',
  invoice: ({ merchant, number, amount, due, url, reminder }) => ({
    subject: `${reminder ? 'Reminder: invoice' : 'Invoice'} ${number} from ${merchant}`,
    text: `Hello,

${reminder ? `Invoice ${number} from ${merchant} has not been paid yet.` : `${merchant} has sent you invoice ${number}.`}
Amount to pay${due === null ? '' : ` by the end of ${due}`}: ${amount}

View and pay the invoice:
${url}

If you did not expect this invoice, ignore this message: nothing is paid until you confirm it.
`,
  }),
  receipt: ({ merchant, amount, date, reference, payment, url }) => ({
    subject: `Your receipt from ${merchant}`,
    text: `Hello,

You paid ${amount} to ${merchant}.

Date: ${date}
${reference === null ? '' : `Reference: ${reference}\n`}Transaction: ${payment}

View, print or download the receipt:
${url}

This message was sent automatically. If you have a question about your purchase, please contact ${merchant}.
`,
  }),
};
