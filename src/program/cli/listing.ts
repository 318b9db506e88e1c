import { csvLine } from '../../kit/csv.ts';
import type { IdPrefix } from '../../kit/ids.ts';
import type { Reply, Route } from '../../tenants/api/route.ts';
import type { Deps } from '../deps.ts';
import { moneyText } from './format.ts';
import { fieldsOf, type ListOptions, pageQuery } from './list-options.ts';
import { environmentOf, type TeamOptions, withOperations } from './operations.ts';
import { type Heading, paintStatus, print, printable, shortMoment, shownText, table } from './output.ts';

/** A resource as the API returns it. */
export type Item = Record<string, unknown>;

interface Column {
  heading: Heading;
  cell(item: Item): string;
}

/** A kind of resource of the API. */
export interface Resource {
  prefix: IdPrefix;
  /** Path of the list; the path of one resource ends with its id. */
  path: string;
  /** Name of one resource in a reply. */
  name: string;
  routes(deps: Deps): Route[];
  /** Fields by which the list can be filtered. */
  filters: readonly string[];
  columns: readonly Column[];
  /** Fields of the CSV form, in their order. Those that are objects are written as JSON. */
  fields: readonly string[];
}

/** Prints a page of the list of a resource. */
export async function listResource(options: ListOptions, resource: Resource): Promise<void> {
  const query = { ...fieldsOf(options, resource.filters), ...pageQuery(options) };
  const reply = await withOperations(options.environment ?? 'sandbox', options, ({ deps, run }) =>
    run(resource.routes(deps), `GET ${resource.path}`, { query }),
  );
  printPage(options, reply, resource);
}

/** Prints one resource, in the environment of its id. */
export async function showResource(
  id: string,
  options: TeamOptions & { json?: true },
  { prefix, path, name, routes }: Resource,
  text: (item: Item) => string,
): Promise<void> {
  const environment = environmentOf(prefix, id, options.environment, `${path.slice(1)} list`);
  const { body } = await withOperations(environment, options, ({ deps, run }) =>
    run(routes(deps), `GET ${path}/:id`, { params: { id } }),
  );
  const item = body[name] as Item;
  print(options.json, item, () => text(item));
}

/**
 * Prints a page of a list: a table for people, CSV or one JSON document for programs. The cursor of the next page is printed on
 * stderr, so that a file has the rows only.
 */
function printPage(options: ListOptions, { body }: Reply, { columns, fields }: Resource): void {
  const { items, meta } = body as { items: Item[]; meta: { has_more: boolean; next_cursor: string } };
  if (options.csv) {
    const rows = items.map((item) => csvLine(fields.map((name) => item[name])));
    process.stdout.write(shownText(csvLine(fields) + rows.join('')));
  } else {
    const headings = columns.map(({ heading }) => heading);
    const rows = items.map((item) => columns.map(({ cell }) => cell(item)));
    print(options.json, { items, meta }, () => (rows.length === 0 ? 'none found' : table(headings, rows)));
  }
  if (meta.has_more && !options.json) console.error(`there are more: --cursor ${meta.next_cursor}`);
}

/** Returns the column of a text. */
export function textColumn(heading: string, field: string): Column {
  return { heading, cell: (item) => textOf(item[field]) };
}

/** The columns that every resource with money has. */
export const AMOUNT: Column = {
  heading: { title: 'AMOUNT', align: 'right' },
  cell: (item) => moneyOf(item, 'amount'),
};
export const STATUS: Column = { heading: 'STATUS', cell: ({ status }) => paintStatus(String(status)) };
export const CREATED: Column = { heading: 'CREATED', cell: ({ created_at }) => momentOf(created_at) };

/** Returns an amount of a resource with its currency. */
export function moneyOf(item: Item, field: string): string {
  return moneyText(item[field] as number, String(item.currency));
}

/** Formats a time as the API returns it; empty for null. */
export function momentOf(at: unknown): string {
  return shortMoment(typeof at === 'string' ? new Date(at) : null);
}

/** Formats a value of the API for people, safe to print; empty for null. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return printable(typeof value === 'object' ? JSON.stringify(value) : String(value));
}

/** Leaves out what is empty. */
export function filled(entries: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== ''));
}
