import { type PersonalData, redacted } from '../../kit/personal.ts';

export const personal: PersonalData = {
  tables: {
    returns: {
      belongs: { to: 'row', of: 'payments', by: 'payment_id' },
      plain:
        'team_id id payment_id attempt_id arrival amount_minor currency state refund_id payout_id manual_id account_id tried ' +
        'resent dispatched_at spent late_refund times_paid recheck polls next_step_at waiting_since announced_at resolved_as ' +
        'resolutions created_at updated_at closed_at',
      // May quote the provider.
      rules: { note: redacted },
    },
  },
};
