import type { presentCustomer, presentMethod } from '../../../../core/customers/present.ts';
import type { TeamVisit } from '../../page.ts';

/** A customer as the API shows it. An erased one has no personal data. */
export type Customer = ReturnType<typeof presentCustomer>;
export type Method = ReturnType<typeof presentMethod>;

/**
 * Returns the customer that the path names.
 * @throws Problem 404
 */
export async function customerOf(visit: TeamVisit): Promise<Customer> {
  const { body } = await visit.api('GET /customers/:id', { params: { id: visit.params.id ?? '' } });
  return (body as { customer: Customer }).customer;
}

/** Returns the displayed name of a customer; the id when there is no other value. */
export function titleOf({ name, company_name, email, phone, id }: Customer): string {
  return name ?? company_name ?? email ?? phone ?? id;
}
