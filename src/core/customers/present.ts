import type { Environment } from '../../kit/environment.ts';
import type { CustomerRow, PaymentMethodRow } from './schema.ts';

/** Returns a customer as GET returns it and events contain it. */
export function presentCustomer(environment: Environment, row: CustomerRow) {
  return {
    id: row.id,
    name: row.name,
    email: row.email,
    phone: row.phone,
    company_name: row.company_name,
    address: row.address,
    billing: row.billing,
    tax_id: row.tax_id,
    metadata: row.metadata,
    blocked: row.blocked_at !== null,
    sandbox: environment === 'sandbox',
    archived_at: row.archived_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

/** Returns a saved payment method, without its number or token. */
export function presentMethod(environment: Environment, row: PaymentMethodRow) {
  return {
    id: row.id,
    customer: row.customer_id,
    type: row.type,
    channel: row.channel,
    brand: row.brand,
    last4: row.last4,
    sandbox: environment === 'sandbox',
    created_at: row.created_at.toISOString(),
    last_used_at: row.last_used_at.toISOString(),
  };
}
