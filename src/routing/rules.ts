import type { Operation, RouteRequest, RuleRow, Weight } from './schema.ts';
import { summaryOf } from './summary.ts';

/** How a rule picks among accounts. */
export type Way = { kind: 'order'; names: string[] } | { kind: 'share'; weights: Weight[] } | { kind: 'least_cost' };

/** A rule made ready for deciding. */
export interface Rule {
  id: string;
  priority: number;
  summary: string;
  way: Way;
  fallback: boolean;
  /** The accounts it names; null: it looks at all of them. */
  names: ReadonlySet<string> | null;
  min_minor: bigint | null;
  max_minor: bigint | null;
}

type Asked = Pick<RouteRequest, 'operation' | 'channel' | 'currency' | 'amount_minor'>;

interface Matcher {
  rule: Rule;
  operation: Operation | null;
  countries: ReadonlySet<string>;
  channels: ReadonlySet<string>;
  currencies: ReadonlySet<string>;
}

/**
 * The rules of one team in one environment. Everything but the amount is the same for all requests of one operation,
 * channel and currency, so what is left to look at is worked out once for each such lane.
 */
export class Ruleset {
  readonly #matchers: readonly Matcher[];
  readonly #lanes = new Map<string, readonly Rule[]>();

  constructor(rows: readonly RuleRow[]) {
    this.#matchers = [...rows].sort(byTurn).map(matcherOf);
  }

  /** The first rule that matches; null: none does. */
  deciding(asked: Asked): Rule | null {
    const { amount_minor } = asked;
    for (const rule of this.#lane(asked)) {
      if (rule.min_minor !== null && amount_minor < rule.min_minor) continue;
      if (rule.max_minor !== null && amount_minor > rule.max_minor) continue;
      return rule;
    }
    return null;
  }

  /** There are as many lanes as channels and currencies in the tables: no need for a bound. */
  #lane({ operation, channel, currency }: Asked): readonly Rule[] {
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

/** Ids sort by time. */
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
