import type { Minor } from '../../src/kit/money.ts';
import type { Book, EntryKind } from './book.ts';
import { randomOf } from './random.ts';

/** One line of a simulator's statement: a completed operation. */
export interface StatementEntry {
  kind: EntryKind;
  key: string;
  ref: string;
  amount_minor: Minor;
  currency: string;
  at: number;
  state: 'succeeded' | 'failed';
}

/** A provider's statement format. A simulator without one writes the normal format of docs/reconciliation.md. */
export interface StatementForm {
  head: readonly string[];
  /** Returns the cells of a line; null when the operation is not in the statement. */
  row(entry: StatementEntry): readonly string[] | null;
}

export const NORMAL_FORM: StatementForm = {
  head: ['type', 'key', 'reference', 'amount', 'currency', 'fee', 'at', 'status'],
  row: (entry) => [
    ...[entry.kind, entry.key, entry.ref, amountOf(entry.amount_minor), entry.currency, '0'],
    ...[new Date(entry.at).toISOString(), entry.state],
  ],
};

/** Formats hundredths as text in major units. */
export function amountOf(amount_minor: Minor): string {
  return `${amount_minor / 100n}.${String(amount_minor % 100n).padStart(2, '0')}`;
}

/** Returns the completed operations of the book. */
export function statementOf(book: Book): StatementEntry[] {
  return book.entries().flatMap(({ kind, key, ref, amount_minor, currency, created_at, settled_at, state }) => {
    return state === 'pending' ? [] : [{ kind, key, ref, amount_minor, currency, at: settled_at ?? created_at, state }];
  });
}

/** Returns the statement as CSV text. */
export function writeStatement(entries: readonly StatementEntry[], { head, row }: StatementForm): string {
  const rows = entries.flatMap((entry) => {
    const cells = row(entry);
    return cells ? [cells] : [];
  });
  return [head, ...rows].map((cells) => `${cells.map(quoted).join(',')}\r\n`).join('');
}

function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** A difference that was put into a statement on purpose. */
interface Injected {
  kind: (typeof INJECTABLE)[number];
  /** Key of the line that was changed, omitted, repeated or added. */
  key: string;
}

const INJECTABLE = ['missing_here', 'missing_there', 'amount', 'duplicate', 'late'] as const;

/**
 * Inserts differences into a statement: the wanted number of each kind, in lines chosen by seed, each line at most once.
 * @returns the statement, and the inserted differences, which a reconciliation must find
 */
export function alterStatement(
  entries: readonly StatementEntry[],
  wanted: number,
  seed: number,
): { entries: StatementEntry[]; injected: Injected[] } {
  const draw = randomOf(seed);
  const free = new Map(entries.map((entry) => [entry.key, entry]));
  const injected: Injected[] = [];
  const altered: StatementEntry[] = [...entries];
  const take = (fits: (entry: StatementEntry) => boolean): StatementEntry | undefined => {
    const candidates = [...free.values()].filter(fits);
    const entry = candidates[Math.floor(draw() * candidates.length)];
    if (entry) free.delete(entry.key);
    return entry;
  };
  const CHANGES: Record<Injected['kind'], (entry: StatementEntry) => string> = {
    missing_here: (entry) => {
      const made_up = { ...entry, key: entry.key.replace(/^.{4}/, 'ffff'), ref: `9${entry.ref}` };
      altered.push(made_up);
      return made_up.key;
    },
    missing_there: (entry) => replace(altered, entry, []),
    amount: (entry) => replace(altered, entry, [{ ...entry, amount_minor: entry.amount_minor + 2_500n }]),
    duplicate: (entry) => replace(altered, entry, [entry, { ...entry, ref: `8${entry.ref}`, at: entry.at + 1_000 }]),
    late: (entry) => replace(altered, entry, [{ ...entry, state: 'succeeded' }]),
  };
  for (const kind of INJECTABLE) {
    for (let n = 0; n < wanted; n++) {
      const entry = take(({ state }) => (kind === 'late' ? state === 'failed' : state === 'succeeded'));
      if (entry) injected.push({ kind, key: CHANGES[kind](entry) });
    }
  }
  return { entries: altered, injected };
}

function replace(entries: StatementEntry[], old: StatementEntry, by: StatementEntry[]): string {
  entries.splice(entries.indexOf(old), 1, ...by);
  return old.key;
}
