import { explanation } from '../../providers/routing/personal.ts';
import { fields, hashed, kept, type PersonalData, redacted, removed } from '../../kit/personal.ts';

export const personal: PersonalData = {
  tables: {
    archived_attempts: { plain: 'team_id key payment_id' },
    attempts: {
      belongs: { to: 'row', of: 'payments', by: 'payment_id' },
      plain:
        'team_id id payment_id provider provider_account channel status amount_minor currency country provider_key ' +
        'reason polls next_poll_at created_at submitted_at closed_at giveback handle counted_day remember method_id mismatches ' +
        'prompted_by must_return unanswered_step_at',
      rules: {
        payer: hashed('payer_hash', 'phone'),
        payer_hash: kept('a keyed hash, by which the hosted page recognises a charged number', 'for ever, with the attempt'),
        provider_ref: kept(
          'late successes, repeated callbacks and statements are recognised by it; that of M-Pesa ends with the number of the payer',
          'for ever, with the attempt',
        ),
        client_ip: removed(),
        message: redacted,
        // What the payer has to do. The hosted page needs the kind as it is.
        action: fields({ plain: 'kind', rules: { hint: redacted, url: redacted, instructions: redacted } }),
        resolution: redacted,
        decision: fields(explanation),
        mismatch: fields({ plain: 'amount_minor currency provider_ref at' }),
      },
    },
  },
};
