import { type Fields, kept, type PersonalData, pseudonym, removed, withRow } from '../../kit/personal.ts';

const KYC = kept('the law requires the merchant to document the check', 'for ever: a record is not deleted');

const profile = {
  name: pseudonym,
  email: removed({ identifies: 'email', mailed: true }),
  phone: removed({ identifies: 'phone' }),
  company_name: removed({ identifies: 'name' }),
  address: removed(),
  billing: removed({ identifies: { name: 'name' } }),
  metadata: removed(),
} satisfies Fields['rules'];

export const personal: PersonalData = {
  tables: {
    customers: {
      belongs: { to: 'self' },
      plain: 'team_id id blocked_at archived_at event_count created_at updated_at',
      rules: {
        ...profile,
        tax_id: removed({ unless: 'an approved compliance record names the customer' }),
        email_key: { becomes: 'generated', from: 'email' },
      },
    },
    customer_search: {
      belongs: { to: 'customer', by: 'customer_id' },
      plain: 'team_id customer_id',
      rules: { text: withRow },
    },
    // The vault entries.
    payment_methods: {
      belongs: { to: 'customer', by: 'customer_id' },
      plain: 'team_id id customer_id type channel provider_account created_at last_used_at',
      rules: { brand: withRow, last4: withRow, token_sealed: withRow, fingerprint: withRow },
    },
    compliance_records: {
      plain: 'team_id customer_id status created_at updated_at',
      rules: { author: KYC, note: KYC },
    },
  },
  events: {
    customer: {
      plain: 'id blocked sandbox archived_at created_at updated_at',
      rules: { ...profile, tax_id: removed() },
    },
  },
};
