import { startOfUtcDay } from '../../kit/days.ts';
import { entryOf } from '../../kit/entry-of.ts';
import { isCurrency, type Minor } from '../../kit/money.ts';
import { NORMAL_FORMAT, type StatementFormat, type StatementLine } from '../../providers/adapters/statement.ts';

/** The result of parsing one record of a statement. */
export type Judged = { kind: 'line'; line: StatementLine } | { kind: 'other' } | { kind: 'bad'; fault: string };

export type LineReader = (fields: string[]) => Judged;

type Column = keyof StatementFormat['columns'];
type Places = Partial<Record<Column, number>>;

/** No provider that is compared is older. An earlier time is a default value or an error, and would extend the period to it. */
const EARLIEST = Date.UTC(2000);
/** Maximum time by which a provider's clock may be ahead, with its time zone. */
const MAX_AHEAD_MS = 2 * 86_400_000;

/**
 * Finds the columns in the first line.
 * @param own the provider's own format, which is tried first
 * @param now milliseconds since the epoch
 * @returns the parser of the other lines, or why the file cannot be read
 */
export function readerOf(head: string[], own: StatementFormat | undefined, now: number): LineReader | { fault: string } {
  const names = head.map((name) => name.trim().toLowerCase());
  const formats = (own ? [own, NORMAL_FORMAT] : [NORMAL_FORMAT]).flatMap((format) => {
    const places = placesOf(names, format);
    return places ? [{ format, places, unread: unreadStatus(names, format) }] : [];
  });
  const found = formats.find(({ unread }) => unread === undefined);
  if (found) return (fields) => judge(fields, names.length, found.places, found.format, now + MAX_AHEAD_MS);
  const { reference, fee, key, ...needed } = NORMAL_FORMAT.columns;
  if (formats[0]) {
    const columns = [key, ...Object.values(needed)].join(', ');
    const unread = `the column ${formats[0].unread} cannot be read, and failed lines must not count as paid`;
    return { fault: `${unread}: rename the columns to ${columns}` };
  }
  const known = [key, reference].some((name) => names.includes(name as string));
  const missing = [...Object.values(needed), ...(known ? [] : [key as string])].filter((name) => !names.includes(name));
  return { fault: `the first line has no column ${missing.join(', ')}` };
}

/** Returns a column about the status of a line that a format without statuses would ignore. */
function unreadStatus(names: string[], { columns }: StatementFormat): string | undefined {
  return columns.status === undefined ? names.find((name) => name.includes('status')) : undefined;
}

function placesOf(names: string[], { columns }: StatementFormat): Places | null {
  const places: Places = {};
  for (const [column, name] of Object.entries(columns) as [Column, string][]) {
    const place = names.indexOf(name);
    if (place !== -1) places[column] = place;
  }
  const has = (column: Column) => places[column] !== undefined;
  const fits = has('flow') && has('amount') && has('currency') && has('at') && (has('key') || has('reference'));
  // A format with a status column requires it: otherwise every rejected line would count as money moved.
  return fits && (columns.status === undefined || has('status')) ? places : null;
}

function judge(fields: string[], width: number, places: Places, format: StatementFormat, latest: number): Judged {
  if (fields.length !== width) return bad(`${fields.length} fields instead of ${width}`);
  const field = (column: Column) => (places[column] === undefined ? '' : (fields[places[column]] as string).trim());
  const flow = entryOf(format.flows, field('flow').toLowerCase());
  if (!flow) return { kind: 'other' };
  const key = field('key');
  const reference = field('reference');
  if (!isName(key) || !isName(reference))
    return bad('a key or reference has more than 128 characters, or characters other than printable ASCII');
  if (key === '' && reference === '') return bad('neither key nor reference');
  const amount_minor = amountOf(field('amount'));
  if (amount_minor === null || amount_minor === 0n) return bad('the amount is invalid');
  // Money taken back, such as a reversal. Without its sign it would be booked as received.
  if (flow === 'collect' && field('amount').startsWith('-')) return bad('the amount of a collection is negative');
  const fee_minor = amountOf(field('fee') || '0');
  if (fee_minor === null) return bad('the fee is invalid');
  const currency = field('currency').toUpperCase();
  if (!isCurrency(currency)) return bad('the currency is invalid');
  const at = momentOf(field('at'), format.zone);
  if (at === null) return bad(format.zone === 'explicit' ? 'the time is invalid or has no time zone' : 'the time is invalid');
  if (at < EARLIEST || at > latest) return bad('the time is before 2000 or in the future');
  const status = format.columns.status === undefined ? 'succeeded' : entryOf(format.statuses, field('status').toLowerCase());
  if (!status) return bad('the status is unknown');
  return {
    kind: 'line',
    line: { flow, key: key || null, reference: reference || null, amount_minor, currency, fee_minor, at, status },
  };
}

function bad(fault: string): Judged {
  return { kind: 'bad', fault };
}

/**
 * Returns whether the text is a valid key or reference: printable ASCII. Other characters could make two different
 * texts look the same.
 */
function isName(text: string): boolean {
  return /^[\x20-\x7e]{0,128}$/.test(text);
}

/** Parses an amount in major units exactly: `10050`, `100.50`. Wallet statements write outgoing amounts with a minus. */
function amountOf(text: string): Minor | null {
  const parts = /^-?(\d{1,13})(?:\.(\d{1,2})0*)?$/.exec(text);
  return parts ? BigInt(parts[1] as string) * 100n + BigInt((parts[2] ?? '').padEnd(2, '0')) : null;
}

function momentOf(text: string, zone: StatementFormat['zone']): number | null {
  const parts = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?)(Z|[+-]\d{2}:\d{2})?$/.exec(text);
  if (!parts || (zone === 'explicit' && !parts[3]) || startOfUtcDay(parts[1] as string) === null) return null;
  const at = Date.parse(`${parts[1]}T${parts[2]}${parts[3] ?? 'Z'}`);
  return Number.isNaN(at) ? null : at;
}
