import { customerRoutes } from '../../../core/customers/routes.ts';
import type { ListCustomersQuery } from '../../../core/customers/schema.ts';
import type { ListOptions } from '../list-options.ts';
import {
  CREATED,
  filled,
  type Item,
  momentOf,
  listResource,
  type Resource,
  showResource,
  textColumn,
  textOf,
} from '../listing.ts';
import type { TeamOptions } from '../operations.ts';
import { details, paint } from '../output.ts';

const CUSTOMERS: Resource = {
  ...{ prefix: 'cus', path: '/customers', name: 'customer' },
  routes: customerRoutes,
  filters: ['search', 'blocked'] satisfies (keyof ListCustomersQuery)[],
  columns: [
    textColumn('CUSTOMER', 'id'),
    CREATED,
    textColumn('NAME', 'name'),
    textColumn('E-MAIL', 'email'),
    textColumn('PHONE', 'phone'),
    { heading: 'BLOCKED', cell: ({ blocked }) => blockedText(blocked) },
  ],
  fields: [
    ...['id', 'created_at', 'name', 'email', 'phone', 'company_name', 'tax_id', 'blocked', 'address', 'billing', 'metadata'],
    ...['archived_at', 'updated_at', 'sandbox'],
  ],
};

/** `pirogue customers list` */
export function listCustomersCommand(options: ListOptions): Promise<void> {
  return listResource(options, CUSTOMERS);
}

/** `pirogue customers show` */
export function showCustomerCommand(id: string, options: TeamOptions & { json?: true }): Promise<void> {
  return showResource(id, options, CUSTOMERS, (customer) => details(linesOf(customer)));
}

function linesOf(customer: Item): Record<string, string> {
  return filled({
    customer: textOf(customer.id),
    name: textOf(customer.name),
    company: textOf(customer.company_name),
    'e-mail': textOf(customer.email),
    phone: textOf(customer.phone),
    address: textOf(customer.address),
    'tax id': textOf(customer.tax_id),
    blocked: blockedText(customer.blocked),
    created: momentOf(customer.created_at),
    erased: momentOf(customer.archived_at),
  });
}

function blockedText(blocked: unknown): string {
  return blocked ? paint('red', 'blocked') : '';
}
