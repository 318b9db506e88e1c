import { TABLES } from '../src/edge/erasure/catalogue.ts';
import { isErased, type PersonalTable, type Rule } from '../src/kit/personal.ts';

/** Tables of docs/customers.md, made of the lists of personal data (src/kit/personal.ts). */

type Line = { columns: string[]; text: string };

/** Returns the rows of the table of erased data: its place, and its replacement. */
export function erasedRows(): string[][] {
  return [...TABLES].flatMap(([name, list]) =>
    list.belongs ? grouped(linesOf(list, isErased, textOf)).map(({ columns, text }) => [place(name, columns), text]) : [],
  );
}

/** Returns the rows of the table of kept data: its place, the reason, and the end of the retention. */
export function keptRows(): string[][] {
  return [...TABLES].flatMap(([name, list]) => {
    const isKept = (rule: Rule) => rule.becomes === 'kept';
    return grouped(linesOf(list, isKept, textOf)).map(({ columns, text }) => [place(name, columns), ...text.split('\n')]);
  });
}

function place(table: string, columns: readonly string[]): string {
  return `\`${table}\`: ${columns.map((column) => `\`${column}\``).join(', ')}`;
}

/** Returns each column or key with the text of its rule. */
function linesOf(
  { rules = {} }: Pick<PersonalTable, 'rules'>,
  of: (rule: Rule) => boolean,
  text: (rule: Rule) => string,
): Line[] {
  return Object.entries(rules).flatMap(([name, rule]): Line[] => {
    if (rule.becomes !== 'fields') return of(rule) ? [{ columns: [name], text: text(rule) }] : [];
    return linesOf(rule.fields, of, text).map((line) => ({ ...line, columns: line.columns.map((key) => `${name}.${key}`) }));
  });
}

/** Joins the columns that have the same text. */
function grouped(lines: readonly Line[]): Line[] {
  const texts = [...new Set(lines.map(({ text }) => text))];
  return texts.map((text) => ({ text, columns: lines.filter((line) => line.text === text).flatMap(({ columns }) => columns) }));
}

function textOf(rule: Rule): string {
  switch (rule.becomes) {
    case 'null':
      return rule.unless ? `removed, unless ${rule.unless}` : 'removed';
    case 'pseudonym':
      return 'the pseudonym';
    case 'redacted':
      return 'kept; what identifies the person becomes `[erased]`';
    case 'hash':
      return `a keyed hash in \`${rule.into}\` when the value is no longer needed, see below`;
    case 'deleted':
      return 'deleted with the row';
    case 'event':
      return 'kept; each field like that of its resource, and a field that is in no list is redacted';
    case 'kept':
      return `${rule.reason}\n${rule.until}`;
    case 'generated':
    case 'fields':
    case 'restored':
      return '';
    default:
      return rule satisfies never;
  }
}
