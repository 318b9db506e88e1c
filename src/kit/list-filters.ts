import { Type } from 'typebox';
import type { Environment } from './environment.ts';
import { type IdPrefix, lowestIdAt } from './ids.ts';
import { type Minor, minorFromWire } from './money.ts';
import { clause, type Fragment, fixed, part } from './sql.ts';
import { isAscii } from './unicode.ts';

/** The condition of each field of a list's query. The type requires one for every field. */
export type Conditions<Query> = { [Name in keyof Query]-?: (value: NonNullable<Query[Name]>) => Fragment };

/** Returns the conditions of the fields that a query sets; empty when it lists everything. */
export function conditionsOf<Query extends object>(query: Query, conditions: Conditions<Query>): Fragment[] {
  // PostgreSQL would read every row and find no match.
  if (isContradicting(query)) return [part`false`];
  return (Object.keys(conditions) as (keyof Query)[]).flatMap((name) => {
    const value = query[name];
    return value === undefined ? [] : [conditions[name](value as NonNullable<Query[typeof name]>)];
  });
}

function isContradicting({ amount_min, amount_max }: { amount_min?: number; amount_max?: number }): boolean {
  return amount_min !== undefined && amount_max !== undefined && amount_min > amount_max;
}

/** A column that equals the value. An index on the team, the column and the id serves it (test/plans). */
export function equalTo(column: string): (value: string) => Fragment {
  const name = fixed(column);
  return (value) => clause`${name} = ${value}`;
}

/**
 * Returns the condition that one of the columns (or SQL expressions) contains the text, in upper or lower case. ASCII text matches ASCII
 * text only: comparing without the rules of a language takes a third of the time.
 */
export function containing(columns: readonly string[]): (text: string) => Fragment {
  return (text) => {
    const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`;
    const found = columns.map((column) => {
      if (!isAscii(text)) return part`${fixed(column)} ilike ${pattern}`;
      // "ilike" would also change the pattern to lower case for each row, and digits have no case.
      if (!/[a-z]/i.test(text)) return part`${fixed(column)} collate "C" like ${pattern}`;
      return part`lower(${fixed(column)} collate "C") like ${pattern.toLowerCase()}`;
    });
    return part`(${found.reduce((left, right) => part`${left} or ${right}`)})`;
  };
}

// ------------------------------------------------------------------------------------------------ ranges
export const dayQuery = {
  date_from: Type.Optional(Type.String({ format: 'date', description: 'UTC day, inclusive.' })),
  date_to: Type.Optional(Type.String({ format: 'date', description: 'UTC day, inclusive; not before date_from.' })),
};

export const amountQuery = {
  amount_min: Type.Optional(Type.Number({ minimum: 0 })),
  amount_max: Type.Optional(Type.Number({ minimum: 0 })),
};

const DAY_MS = 86_400_000;

/** Returns the first moment of a UTC day, in milliseconds since the epoch. */
export function startOfDay(day: string): number {
  return Date.parse(day);
}

/** Returns the first moment after a UTC day. */
export function endOfDay(day: string): number {
  return Date.parse(day) + DAY_MS;
}

/** Conditions of {@link dayQuery}. Ids sort by time, so a range of days is a range of ids. */
export function withinDays(prefix: IdPrefix, environment: Environment) {
  return {
    date_from: (day: string) => part`id >= ${lowestIdAt(prefix, environment, startOfDay(day))}`,
    date_to: (day: string) => part`id < ${lowestIdAt(prefix, environment, endOfDay(day))}`,
  };
}

/** Conditions of {@link amountQuery}. */
export const withinAmounts = {
  amount_min: (amount: number) => part`amount_minor >= ${bound(amount, Math.ceil)}`,
  amount_max: (amount: number) => part`amount_minor <= ${bound(amount, Math.floor)}`,
};

/**
 * Converts a bound to hundredths. It may have more decimals than any amount, or be larger: it is rounded to the nearest
 * hundredth inside the range.
 */
function bound(amount: number, inwards: (hundredths: number) => number): Minor {
  return minorFromWire(amount) ?? BigInt(inwards(Math.min(amount * 100, Number.MAX_SAFE_INTEGER)));
}
