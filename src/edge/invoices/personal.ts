import { type Fields, fields, type PersonalData, pseudonym, redacted, removed } from '../../kit/personal.ts';

/** To whom an invoice is addressed, which may differ from the customer's profile. */
const recipient = {
  name: pseudonym,
  email: removed({ identifies: 'email', mailed: true }),
  phone: removed({ identifies: 'phone' }),
} satisfies Fields['rules'];

const texts = { reference: redacted, notes: redacted, metadata: redacted } satisfies Fields['rules'];

/** Texts of items only: a name can be equal to a word of a key, or to an amount. */
const itemTexts = { name: redacted, description: redacted } satisfies Fields['rules'];

export const personal: PersonalData = {
  tables: {
    invoices: {
      belongs: { to: 'customer', by: 'customer_id' },
      plain:
        'team_id id number status currency amount_minor paid_minor refunded_minor allow_partial least_minor customer_id due_date ' +
        'locale url payment_id overdue_at sent_at mailed_at viewed_at paid_at cancelled_at event_count key_id request_id ' +
        'created_at updated_at',
      rules: { ...recipient, ...texts, items: fields({ plain: 'quantity unit_price_minor amount_minor', rules: itemTexts }) },
    },
    invoice_numbers: { plain: 'team_id last' },
    invoice_payments: { plain: 'team_id payment_id invoice_id paid_minor refunded_minor' },
    invoice_former_customers: { plain: 'team_id customer_id invoice_id' },
  },
  events: {
    invoice: {
      plain:
        'id number status currency amount amount_paid amount_refunded amount_due allow_partial min_amount customer due_date locale ' +
        'url payment sandbox sent_at viewed_at paid_at cancelled_at created_at updated_at',
      rules: {
        ...texts,
        recipient: fields({ plain: '', rules: recipient }),
        items: fields({ plain: 'quantity unit_price amount', rules: itemTexts }),
      },
    },
  },
};
