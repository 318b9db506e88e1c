import { type PersonalData, withRow } from '../../kit/personal.ts';

export const personal: PersonalData = {
  tables: {
    mails: {
      belongs: { to: 'recipient', by: 'recipient' },
      plain: 'team_id id kind tries due_at sent_at error created_at',
      rules: {
        facts: withRow,
        recipient: withRow,
        recipient_folded: { becomes: 'generated', from: 'recipient' },
        payment_id: { becomes: 'generated', from: 'facts' },
      },
    },
    mail_turns: { plain: 'team_id name taken_at' },
  },
};
