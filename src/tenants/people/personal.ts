import { kept, type PersonalData } from '../../kit/personal.ts';

const PERSON = kept('a person who works for the merchant, never a payer', 'for ever: actions in the audit trail name the user');
const SIGNED_IN = kept('where a person of the merchant signed in', '90 days after the end of the session');
const SENT = kept('a person who works for the merchant, never a payer', '30 days');
const TRIED = kept('a person who works for the merchant, never a payer', 'a day');

const VIEWED = kept(
  'what a person of the merchant calls a view of its own',
  'until the view is deleted or the person leaves the team',
);

export const personal: PersonalData = {
  tables: {
    users: {
      plain: 'id password totp_sealed totp_step locale operator disabled_at created_at updated_at',
      rules: { email: PERSON, name: PERSON },
    },
    memberships: { plain: 'team_id user_id role created_at' },
    passkeys: { plain: 'id user_id public_key counter transports created_at used_at', rules: { name: PERSON } },
    recovery_codes: { plain: 'user_id hash used_at' },
    console_sessions: {
      plain: 'id user_id hash browser created_at seen_at proved_at ends_at revoked_at',
      rules: { address: SIGNED_IN, agent: SIGNED_IN },
    },
    console_views: { plain: 'user_id team_id environment page query created_at', rules: { name: VIEWED } },
    user_links: {
      plain: 'id kind user_id team_id role invited_by created_at expires_at used_at revoked_at form_key resent_key',
      rules: { email: SENT },
    },
    sign_in_failures: { plain: 'failures since', rules: { name: TRIED } },
    used_challenges: { plain: 'hash used_at' },
    user_mails: { plain: 'id kind tries created_at due_at sent_at error', rules: { recipient: SENT, facts: SENT } },
  },
};
