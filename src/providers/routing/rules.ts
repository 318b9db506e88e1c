import type { Operation, RouteRequest, RuleRow, Weight } from './schema.ts';
import { summaryOf } from './summary.ts';

/** The method by which a rule orders accounts. */
export type Way = { kind: 'order'; names: string[] } | { kind: 'share'; weights: Weight[] } | { kind: 'least_cost' };

/** A compiled rule. */
export interface Rule {
  id: string;
  priority: number;
  summary: string;
  way: Way;
  fallback: boolean;
  /** The accounts named by the rule; null: all accounts. */
  names: ReadonlySet<string> | null;
  min_minor: bigint | null;
  max_minor: bigint | null;
}

type Wanted = Pick<RouteRequest, 'operation' | 'channel' | 'currency' | 'amount_minor'>;

interface Matcher {
  rule: Rule;
  operation: Operation | null;
  countries: ReadonlySet<string>;
  channels: ReadonlySet<string>;
  currencies: ReadonlySet<string>;
}

/**
 * The rules of one team in one environment. All conditions but the amount have the same result for one operation,
 * channel and currency. The matching rules are therefore computed once for each such combination (`lane`).
 */
export class Ruleset {
  readonly #matchers: readonly Matcher[];
  readonly #lanes = new Map<string, readonly Rule[]>();

  constructor(rows: readonly RuleRow[]) {
    this.#matchers = [...rows].sort(byTurn).map(matcherOf);
  }

  /** Returns the first matching rule, or null if none matches. */
  deciding(wanted: Wanted): Rule | null {
    const { amount_minor } = wanted;
    for (const rule of this.#lane(wanted)) {
      if (rule.min_minor !== null && amount_minor < rule.min_minor) continue;
      if (rule.max_minor !== null && amount_minor > rule.max_minor) continue;
      return rule;
    }
    return null;
  }

  /** Returns the rules of one combination. It is cached without a limit, because channels and currencies are finite. */
  #lane({ operation, channel, currency }: Wanted): readonly Rule[] {
    const name = `${operation} ${channel.id} ${currency}`;
    let lane = this.#lanes.get(name);
    if (!lane) {
      lane = this.#matchers
        .filter(
          (matcher) =>
            (matcher.operation === null || matcher.operation === operation) &&
            admits(matcher.countries, channel.country) &&
            admits(matcher.channels, channel.id) &&
            admits(matcher.currencies, currency),
        )
        .map(({ rule }) => rule);
      this.#lanes.set(name, lane);
    }
    return lane;
  }
}

/** Compares by priority, then by age: ids sort by creation time. */
function byTurn(a: RuleRow, b: RuleRow): number {
  return a.priority - b.priority || (a.id < b.id ? -1 : 1);
}

function admits(wanted: ReadonlySet<string>, value: string): boolean {
  return wanted.size === 0 || wanted.has(value);
}

function matcherOf(row: RuleRow): Matcher {
  const way = wayOf(row);
  const { id, priority, fallback, min_minor, max_minor, operation } = row;
  return {
    rule: { id, priority, summary: summaryOf(row), way, fallback, names: namesOf(way), min_minor, max_minor },
    operation,
    countries: new Set(row.countries),
    channels: new Set(row.channels),
    currencies: new Set(row.currencies),
  };
}

function wayOf({ account_order, shares }: RuleRow): Way {
  if (account_order) return { kind: 'order', names: account_order };
  return shares ? { kind: 'share', weights: shares } : { kind: 'least_cost' };
}

function namesOf(way: Way): ReadonlySet<string> | null {
  if (way.kind === 'order') return new Set(way.names);
  return way.kind === 'share' ? new Set(way.weights.map(({ name }) => name)) : null;
}
