import type { Environment } from '../../kit/environment.ts';
import type { BeneficiaryRow } from './schema.ts';

/** Returns a beneficiary as GET returns it and events contain it. */
export function presentBeneficiary(environment: Environment, row: BeneficiaryRow) {
  return {
    id: row.id,
    name: row.name,
    type: row.type,
    channel: row.channel,
    phone: row.phone,
    account_number: row.account_number,
    email: row.email,
    bank_code: row.bank_code,
    country: row.country,
    currency: row.currency,
    description: row.description,
    reference: row.reference,
    metadata: row.metadata,
    sandbox: environment === 'sandbox',
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
