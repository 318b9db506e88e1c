import { wireFromMinor } from '../../kit/money.ts';
import type { FloatView, RouteRequest } from '../routing/schema.ts';
import { type FloatRow, isFresh } from './schema.ts';

/** The float balances of a team, for routing. An unknown or stale balance never excludes an account. */
export class KnownFloats implements FloatView {
  readonly #rows: readonly FloatRow[];

  constructor(rows: readonly FloatRow[]) {
    this.#rows = rows;
  }

  shortOf(account_id: string, { operation, channel, currency, amount_minor }: RouteRequest, at: number): string | null {
    if (operation !== 'payout') return null;
    const serving = this.#rows.filter(
      (row) =>
        row.account_id === account_id &&
        row.currency === currency &&
        row.use !== 'collection' &&
        serves(row.area, channel.id) &&
        isFresh(row, at),
    );
    // The longest matching area is the most specific one, and its wallet pays: `cm.mtn`, then `cm`, then the whole
    // currency.
    const closest = Math.max(...serving.map(({ area }) => area.length));
    const paying = serving.filter(({ area }) => area.length === closest);
    const [first] = paying;
    if (!first) return null;
    const held = paying.reduce((sum, row) => sum + row.amount_minor, 0n);
    if (held >= amount_minor) return null;
    return `float below amount (${wireFromMinor(held)} ${currency} at ${first.read_at.toISOString()})`;
  }
}

function serves(area: string, channelId: string): boolean {
  return area === '' || area === channelId || channelId.startsWith(`${area}.`);
}
