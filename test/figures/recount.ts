import { setTimeout as sleep } from 'node:timers/promises';
import { type Queryable, sql } from '../../src/kit/sql.ts';
import { MARK_SETTLED } from '../../src/platform/db/marks.ts';
import { sweepsOf } from '../../src/program/program.ts';
import type { Market, Shop } from '../setup/market.ts';

/** Figures of one hour, currency and channel: counts, then amounts in hundredths and milliseconds. */
export type Hours = Record<string, Record<string, number>>;

/** Rounds of the worker that counts, as after the pause that a team has between two counts: one sets a mark, one finishes the hours before it. */
export async function count({ api, clock }: Market): Promise<void> {
  const { deps } = api;
  const sweep = sweepsOf(deps, deps.stores.live).find(({ name }) => name === 'figures');
  for (let visit = 0; visit < 2; visit++) {
    clock.advance(31_000);
    // Transactions of other tests on the same server hold marks back.
    while ((await openMarks(deps.stores.live.db)) > 0) await sleep(5);
    // Hours of a team are finished a few in each round.
    for (let round = 0; round < 50 && sweep && (await sweep.round()) > 0; round++);
  }
}

/** Marks before which a transaction may still commit an event. */
async function openMarks(db: Queryable): Promise<number> {
  const row = await db.maybe<{ open: number }>(
    sql`select count(*)::integer as open from payment_counts where not ${MARK_SETTLED}`,
  );
  return row?.open ?? 0;
}

/** What is stored of a team, by hour. */
export async function stored({ store, team_id }: Shop): Promise<Hours> {
  const rows = await store.db.all<Record<string, string>>(sql`
    select to_char(hour at time zone 'UTC', 'YYYY-MM-DD HH24') || ' ' || currency || ' ' || channel as key,
      json_build_object('succeeded', sum(succeeded), 'failed', sum(failed), 'cancelled', sum(cancelled), 'expired', sum(expired),
        'collected', sum(collected_minor), 'confirmed', sum(confirmed), 'confirm_ms', sum(confirm_ms), 'refunded', sum(refunded),
        'refunded_minor', sum(refunded_minor))::text as figures
    from payment_hours where team_id = ${team_id} group by hour, currency, channel order by 1`);
  return Object.fromEntries(rows.map(({ key, figures }) => [String(key), JSON.parse(String(figures))]));
}

const ENDS = ['succeeded', 'failed', 'cancelled', 'expired'];

/** Figures made from what the API shows of payments and refunds: it looks often enough to see each payment as it ended. */
export class Observer {
  readonly #shop: Shop;
  readonly #hours: Hours = {};
  readonly #open = new Set<string>();
  readonly #refunds = new Map<string, string>();

  constructor(shop: Shop) {
    this.#shop = shop;
  }

  watch(payment: string): void {
    this.#open.add(payment);
  }

  watchRefund(refund: string | null, payment: string): void {
    if (refund !== null) this.#refunds.set(refund, payment);
  }

  /** Looks at everything that had not ended. */
  async look(): Promise<void> {
    for (const id of [...this.#open]) {
      const payment = await this.#shop.shown(id);
      if (!ENDS.includes(payment.status)) continue;
      this.#open.delete(id);
      const hour = this.#hour(payment.completed_at, payment);
      this.#add(hour, payment.status, 1);
      if (payment.status !== 'succeeded') continue;
      this.#add(hour, 'collected', Math.round(payment.amount_captured * 100));
      const charges = payment.attempts.filter(({ status }: { status: string }) => status === 'succeeded');
      const charged = Math.max(...charges.map(({ created_at }: { created_at: string }) => Date.parse(created_at)));
      this.#add(hour, 'confirmed', 1);
      this.#add(hour, 'confirm_ms', Date.parse(payment.completed_at) - charged);
    }
    for (const [id, payment_id] of [...this.#refunds]) {
      const { refund } = (await this.#shop.call('GET', `/refunds/${id}`)).body;
      if (refund.status === 'failed') this.#refunds.delete(id);
      if (refund.status !== 'succeeded') continue;
      this.#refunds.delete(id);
      const hour = this.#hour(refund.completed_at, await this.#shop.shown(payment_id));
      this.#add(hour, 'refunded', 1);
      this.#add(hour, 'refunded_minor', Math.round(refund.amount * 100));
    }
  }

  get hours(): Hours {
    return Object.fromEntries(Object.entries(this.#hours).sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #hour(at: string, { currency, channel }: { currency: string; channel: string | null }): string {
    return `${at.slice(0, 13).replace('T', ' ')} ${currency} ${channel ?? ''}`;
  }

  #add(key: string, name: string, by: number): void {
    this.#hours[key] ??= {
      ...{ succeeded: 0, failed: 0, cancelled: 0, expired: 0, collected: 0 },
      ...{ confirmed: 0, confirm_ms: 0, refunded: 0, refunded_minor: 0 },
    };
    (this.#hours[key] as Record<string, number>)[name] = ((this.#hours[key] as Record<string, number>)[name] ?? 0) + by;
  }
}
