import { split } from '../../money/settlement/personal.ts';
import { fields, kept, type PersonalData, pseudonym, redacted, removed, restoredFirst } from '../../kit/personal.ts';
import { storedList } from './fields.ts';

const columns = storedList('column');
const shown = { columns: storedList('column', true), details: storedList('details', true) };

export const personal: PersonalData = {
  tables: {
    payments: {
      belongs: { to: 'customer', by: 'customer_id' },
      plain:
        'team_id id amount_minor fee_minor captured_minor refunded_minor currency status bearer channel settled reason ' +
        'customer_id account_id payment_method unique_reference event_count key_id request_id created_at updated_at expires_at ' +
        `completed_at continue_at archived_key retry_of retried_by retry_number ${columns.plain}`,
      rules: {
        name: pseudonym,
        email: removed({ identifies: 'email' }),
        phone: removed({ identifies: 'phone' }),
        message: redacted,
        ...columns.rules,
        details: fields(storedList('details')),
        claim: kept('the SHA-256 of a random cookie; it identifies a browser only by the cookie', 'for ever, with the payment'),
        split,
        archived: restoredFirst,
      },
    },
  },
  events: {
    payment: {
      plain:
        'id amount currency status channel sandbox created_at settled reason amount_total amount_captured amount_refunded fee ' +
        `bearer customer payment_method account retry_of retried_by expires_at completed_at updated_at ${shown.columns.plain} ${shown.details.plain}`,
      rules: {
        message: redacted,
        ...shown.columns.rules,
        ...shown.details.rules,
        attempts: fields({ plain: 'id provider channel status reason explanation created_at' }),
      },
    },
  },
};
