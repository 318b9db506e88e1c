import { personal as accounts } from '../../core/accounts/personal.ts';
import { personal as abuse } from '../../core/abuse/personal.ts';
import { personal as attempts } from '../../core/attempts/personal.ts';
import { personal as beneficiaries } from '../../core/beneficiaries/personal.ts';
import { personal as customers } from '../../core/customers/personal.ts';
import { personal as figures } from '../../core/figures/personal.ts';
import { personal as disputes } from '../../core/disputes/personal.ts';
import { personal as obligations } from '../../core/obligations/personal.ts';
import { personal as payments } from '../../core/payments/personal.ts';
import { personal as payoutBatches } from '../../core/payout-batches/personal.ts';
import { personal as reconciliation } from '../../core/reconciliation/personal.ts';
import { personal as refunds } from '../../core/refunds/personal.ts';
import { personal as transfers } from '../../core/transfers/personal.ts';
import { must } from '../../kit/errors.ts';
import { type Belonging, type Fields, isErased, type PersonalTable, type Rule } from '../../kit/personal.ts';
import { personal as search } from '../../platform/search/personal.ts';
import { personal as exchanges } from '../../providers/exchanges/personal.ts';
import { personal as work } from '../../platform/work/personal.ts';
import { personal as events } from '../../money/events/personal.ts';
import { personal as webhooks } from '../../money/webhooks/personal.ts';
import { personal as api } from '../../tenants/api/personal.ts';
import { personal as audit } from '../../tenants/audit/personal.ts';
import { personal as outbox } from '../../tenants/outbox/personal.ts';
import { personal as approvals } from '../../tenants/approvals/personal.ts';
import { personal as people } from '../../tenants/people/personal.ts';
import { personal as requestLog } from '../../tenants/request-log/personal.ts';
import { personal as teams } from '../../tenants/teams/personal.ts';
import { personal as invoices } from '../invoices/personal.ts';
import { personal as links } from '../links/personal.ts';
import { personal as erasures } from './personal.ts';

/**
 * The lists of all rooms with personal data. Customer rows are locked first, then payments with what hangs on them, then invoices:
 * the erasure works in this order, which is the order of locks everywhere.
 */
const LISTS = [
  ...[
    work,
    search,
    teams,
    people,
    approvals,
    audit,
    requestLog,
    exchanges,
    api,
    outbox,
    events,
    webhooks,
    customers,
    beneficiaries,
    accounts,
    abuse,
  ],
  ...[
    payments,
    attempts,
    obligations,
    refunds,
    disputes,
    transfers,
    payoutBatches,
    figures,
    reconciliation,
    links,
    invoices,
    erasures,
  ],
];

/** Every table with personal data, in the order in which the erasure locks rows. */
export const TABLES: ReadonlyMap<string, PersonalTable> = new Map(LISTS.flatMap(({ tables }) => Object.entries(tables)));

/** Rules for the data of events, by the first word of the event's type. */
export const EVENT_DATA: ReadonlyMap<string, Fields> = new Map(LISTS.flatMap((list) => Object.entries(list.events ?? {})));

/** Returns a table of the lists. @throws Error for an unknown table */
export function tableOf(name: string): PersonalTable {
  return must(TABLES.get(name), 'the catalogue has every table with personal data');
}

/** A table whose rows belong to a person, with the column that identifies the owner. */
export interface Owned {
  name: string;
  by: string;
  list: PersonalTable;
  /** Columns that an erasure changes, and their rules. */
  erased: [string, Rule][];
}

/** Returns the tables whose rows belong in this way, in the order of locks. Tables without data to erase are left out. */
export function tablesTo(to: Exclude<Belonging['to'], 'self'>, of?: string): Owned[] {
  return [...TABLES].flatMap(([name, list]) => {
    const { belongs } = list;
    if (belongs === undefined || belongs.to === 'self' || belongs.to !== to) return [];
    if (belongs.to === 'row' && belongs.of !== of) return [];
    const erased = Object.entries(list.rules ?? {}).filter(([, rule]) => isErased(rule));
    return erased.length > 0 ? [{ name, by: belongs.by, list, erased }] : [];
  });
}

/** Returns whether an erasure deletes the rows. */
export function isDeleted({ erased }: Owned): boolean {
  return erased.some(([, { becomes }]) => becomes === 'deleted');
}
