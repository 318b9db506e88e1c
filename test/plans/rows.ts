import { RECORDED_EVENT } from '../../bench/console-fill.ts';
import type { Environment } from '../../src/kit/environment.ts';
import { type IdPrefix, newId } from '../../src/kit/ids.ts';
import { packWhole } from '../../src/kit/packing.ts';
import type { Db } from '../../src/kit/sql.ts';
import { BUCKETS } from '../../src/core/balance/schema.ts';

/*
 * Rows of one team in every table that a list reads: one value of 95 %, rare ones, and some that no row has. Values of different
 * columns are independent of each other and of the order of the rows.
 */

const ENVIRONMENT: Environment = 'live';
const DAY_MS = 86_400_000;
/** Over which the rows are made: less than the retention of events. */
export const DAYS = 80;
/** The newest row is this old, so that totals keep the count of all of them. */
const YOUNGEST_MS = 3_600_000;

/** What the paths and filters of the walk refer to. */
export interface Shop {
  team_id: bigint;
  customer: { common: string; rare: string };
  link: { common: string; rare: string };
  payment: { common: string; rare: string };
  beneficiary: { common: string; rare: string };
  endpoint: { common: string; rare: string };
  account: { common: string; rare: string };
  refund: { common: string; rare: string };
  dispute: { common: string; rare: string };
  transfer: { common: string; rare: string };
  invoice: { common: string; rare: string };
  event: { common: string; rare: string };
}

type Row = Record<string, unknown>;

/** Pseudo-random number in [0, 1) that depends on the row and the column only. */
function chance(n: number, column: string): number {
  let hash = 2_166_136_261;
  for (const char of `${column} ${n}`) hash = Math.imul(hash ^ char.charCodeAt(0), 16_777_619);
  hash = Math.imul(hash ^ (hash >>> 15), 2_246_822_507);
  hash = Math.imul(hash ^ (hash >>> 13), 3_266_489_909);
  return ((hash ^ (hash >>> 16)) >>> 0) / 4_294_967_296;
}

/** One of the values, each with its share; the last has the rest. */
function drawn<Value>(n: number, column: string, ...shares: [Value, number][]): Value {
  let left = chance(n, column);
  for (const [value, share] of shares) {
    if (left < share) return value;
    left -= share;
  }
  return shares.at(-1)?.[0] as Value;
}

const RARE = 0.001;

const status = (n: number, common: string, some: string, rare: string) =>
  drawn(n, 'status', [rare, RARE], [some, 0.05], [common, 1]);
const amount = (n: number) =>
  drawn(n, 'amount', [9_000_000, RARE], [Math.floor(chance(n, 'exact') * 1_000_000) + 100, 0.3], [250_000, 0.3], [500_000, 1]);
const text = (n: number) => drawn(n, 'text', ['Zorro', RARE], ['Awa', 0.5], ['Moussa', 1]);

/** Returns new ids of everything that paths and filters refer to. @param idOf called with 0 for the common one, 1 for the rare one */
export function shopOf(team_id: bigint, idOf: (prefix: IdPrefix, n: number) => string): Shop {
  const two = (prefix: IdPrefix) => ({ common: idOf(prefix, 0), rare: idOf(prefix, 1) });
  return {
    team_id,
    customer: two('cus'),
    link: two('lnk'),
    payment: two('trx'),
    beneficiary: two('ben'),
    endpoint: two('wh'),
    account: two('acct'),
    refund: two('rfd'),
    dispute: two('dsp'),
    transfer: two('po'),
    invoice: two('inv'),
    event: two('evt'),
  };
}

/** Makes the rows of one team. Row 0 is the oldest. */
export class Shelf {
  readonly #db: Db;
  readonly #team_id: bigint;
  readonly #rows: number;
  readonly #now = Date.now();
  readonly shop: Shop;

  constructor(owner: Db, team_id: bigint, rows: number) {
    this.#db = owner;
    this.#team_id = team_id;
    this.#rows = rows;
    this.shop = shopOf(team_id, (prefix, n) => this.#id(prefix, n));
  }

  /** Fills all tables, gathers their statistics and marks pages that need no look into the table, as autovacuum does. */
  async fill(): Promise<void> {
    await this.#parties();
    await this.#money();
    await this.#messages();
    await this.#ledger();
    await this.#db.run({ text: 'vacuum analyze', values: [] });
  }

  #at(n: number): number {
    return this.#now - YOUNGEST_MS - Math.floor(((this.#rows - n) / this.#rows) * DAYS * DAY_MS);
  }

  #id(prefix: IdPrefix, n: number): string {
    return newId(prefix, ENVIRONMENT, this.#at(n));
  }

  /** The two named rows first. */
  #ids(prefix: IdPrefix, named?: { common: string; rare: string }): (n: number) => string {
    return (n) => (n === 0 && named ? named.common : n === 1 && named ? named.rare : this.#id(prefix, n));
  }

  /** Half of the rows belong to the common one and a few to the rare one. */
  #owner({ common, rare }: { common: string; rare: string }, column: string, otherwise: (n: number) => string | null) {
    return (n: number) => drawn(n, column, [rare, RARE], [common, 0.5], [otherwise(n), 1]);
  }

  async #insert(table: string, row: (n: number) => Row, rows = this.#rows): Promise<void> {
    const made = Array.from({ length: rows }, (_, n) => ({ team_id: Number(this.#team_id), ...row(n) }));
    const columns = Object.keys(made[0] as Row).join(', ');
    await this.#db.run({
      text: `insert into ${table} (${columns}) select ${columns} from json_populate_recordset(null::${table}, $1)`,
      values: [JSON.stringify(made)],
    });
  }

  #times(n: number) {
    const at = new Date(this.#at(n));
    return { created_at: at, updated_at: at };
  }

  async #parties(): Promise<void> {
    const { customer, beneficiary, link, account } = this.shop;
    const customers = this.#ids('cus', customer);
    const methods = this.#ids('pm');
    const ofCustomer = this.#owner(customer, 'customer', (n) => this.#id('cus', n));
    // The oldest, but for the two that are named.
    const erased = (n: number) => n > 1 && n < this.#rows * 0.3;
    await this.#insert('customers', (n) => ({
      id: customers(n),
      name: erased(n) ? null : text(n),
      email: erased(n) ? null : `c${n}@shop.example`,
      phone: erased(n) ? null : `+2376${String(n).padStart(8, '0')}`,
      blocked_at: drawn(n, 'blocked', [new Date(), RARE], [null, 1]),
      archived_at: erased(n) ? new Date(this.#now - DAY_MS) : null,
      ...this.#times(n),
    }));
    await this.#db.run({
      text: `insert into customer_search select team_id, id, lower(id || ' ' || name || ' ' || email || ' ' || phone) from customers
        where team_id = $1 and archived_at is null`,
      values: [this.#team_id],
    });
    await this.#insert('payment_methods', (n) => ({
      id: methods(n),
      customer_id: ofCustomer(n),
      type: 'mobile_money',
      channel: 'cm.mtn',
      last4: '1234',
      token_sealed: 'sealed',
      fingerprint: `f${n}`,
      created_at: new Date(this.#at(n)),
      last_used_at: new Date(this.#at(n)),
    }));
    const beneficiaries = this.#ids('ben', beneficiary);
    await this.#insert('beneficiaries', (n) => ({
      id: beneficiaries(n),
      name: text(n),
      channel: 'cm.mtn',
      type: 'mobile_money',
      country: 'CM',
      currency: 'XAF',
      phone: '+237650000000',
      event_count: 1,
      ...this.#times(n),
    }));
    const accounts = this.#ids('acct', account);
    await this.#insert('accounts', (n) => ({
      id: accounts(n),
      name: text(n),
      email: 'a@shop.example',
      active: true,
      verification: 'pending',
      event_count: 1,
      ...this.#times(n),
    }));
    const links = this.#ids('lnk', link);
    await this.#insert('links', (n) => ({
      id: links(n),
      title: text(n),
      currency: 'XAF',
      status: status(n, 'active', 'inactive', 'expired'),
      collect: [],
      ...KEY,
      ...this.#times(n),
    }));
  }

  async #money(): Promise<void> {
    const { customer, beneficiary, link, payment } = this.shop;
    const payments = this.#ids('trx', payment);
    const refunds = this.#ids('rfd', this.shop.refund);
    const disputes = this.#ids('dsp', this.shop.dispute);
    const transfers = this.#ids('po', this.shop.transfer);
    const invoices = this.#ids('inv', this.shop.invoice);
    const ofCustomer = this.#owner(customer, 'customer', () => null);
    const ofLink = this.#owner(link, 'link', () => 'key_1');
    const ofPayment = this.#owner(payment, 'payment', (n) => this.#id('trx', n));
    const ofBeneficiary = this.#owner(beneficiary, 'beneficiary', () => null);
    await this.#insert('payments', (n) => ({
      id: payments(n),
      reference: drawn(n, 'reference', ['order', 0.3], [`order-${n}`, 1]),
      amount_minor: amount(n),
      currency: 'XAF',
      status: status(n, 'succeeded', 'failed', 'cancelled'),
      channel: 'cm.mtn',
      name: text(n),
      details: { metadata: { note: 'x'.repeat(200) } },
      customer_id: ofCustomer(n),
      key_id: ofLink(n),
      request_id: 'req_1',
      expires_at: new Date(this.#at(n)),
      ...this.#times(n),
    }));
    // Of a provider whose numbers are kept for refunds; half of them long enough ago for those of others to be forgotten.
    await this.#insert('attempts', (n) => ({
      id: this.#id('att', n),
      payment_id: ofPayment(n),
      provider: 'flutterwave',
      provider_account: 'pa_1',
      channel: 'cm.mtn',
      status: 'succeeded',
      amount_minor: amount(n),
      currency: 'XAF',
      payer: '+237650000000',
      provider_key: `key-${n}`,
      decision: {},
      mismatches: 0,
      polls: 0,
      must_return: false,
      giveback: false,
      created_at: new Date(this.#at(n)),
      closed_at: new Date(this.#at(n)),
    }));
    await this.#insert('refunds', (n) => ({
      id: refunds(n),
      payment_id: ofPayment(n),
      kind: 'merchant',
      legs: [],
      amount_minor: amount(n),
      currency: 'XAF',
      status: status(n, 'succeeded', 'failed', 'processing'),
      reason: 'requested_by_customer',
      ...this.#times(n),
    }));
    await this.#insert('disputes', (n) => ({
      id: disputes(n),
      payment_id: ofPayment(n),
      amount_minor: amount(n),
      currency: 'XAF',
      status: status(n, 'won', 'lost', 'closed'),
      reason: 'fraudulent',
      draws: [],
      ...this.#times(n),
    }));
    await this.#insert('transfers', (n) => ({
      id: transfers(n),
      reference: `payout-${n}`,
      amount_minor: amount(n),
      fee_minor: 0,
      currency: 'XAF',
      status: status(n, 'succeeded', 'failed', 'processing'),
      beneficiary_id: ofBeneficiary(n),
      recipient: { name: text(n), phone: '+237650000000' },
      channel: drawn(n, 'channel', ['cm.orange', RARE], ['cm.mtn', 1]),
      provider_key: `key-${n}`,
      stage: 'closed',
      ...KEY,
      ...this.#times(n),
    }));
    const ofInvoiced = this.#owner(customer, 'customer', (n) => this.#id('cus', n));
    await this.#insert('invoices', (n) => ({
      id: invoices(n),
      number: `INV-${n}`,
      status: status(n, 'paid', 'cancelled', 'overdue'),
      currency: 'XAF',
      amount_minor: amount(n),
      paid_minor: 0,
      refunded_minor: 0,
      allow_partial: false,
      items: [],
      customer_id: ofInvoiced(n),
      name: text(n),
      event_count: 1,
      ...KEY,
      ...this.#times(n),
    }));
  }

  async #messages(): Promise<void> {
    const { endpoint } = this.shop;
    const endpoints = this.#ids('wh', endpoint);
    const events = this.#ids('evt', this.shop.event);
    const type = (n: number) => drawn(n, 'type', ['dispute.created', RARE], ['payment.succeeded', 1]);
    const body = `\\x${packWhole(RECORDED_EVENT).toString('hex')}`;
    await this.#insert('events', (n) => ({
      id: events(n),
      type: type(n),
      resource_id: this.#id('trx', n),
      sequence: 1,
      pending_webhooks: 0,
      body,
      created_at: new Date(this.#at(n)),
    }));
    await this.#insert(
      'webhook_endpoints',
      (n) => ({
        id: endpoints(n),
        url: 'https://shop.example/',
        secret_sealed: 'sealed',
        events: ['*'],
        active: true,
        api_version: '2026-08-01',
        ...this.#times(n),
      }),
      16,
    );
    const to = this.#owner(endpoint, 'endpoint', (n) => endpoints(2 + (n % 14)));
    await this.#insert('delivery_attempts', (n) => ({
      id: this.#id('whd', n),
      endpoint_id: to(n),
      event_id: events(n),
      event_type: type(n),
      attempt: 1,
      succeeded: true,
      response_status: 200,
      duration_ms: 5,
      created_at: new Date(this.#at(n)),
    }));
  }

  /** One journal of two lines for each payment; few of other kinds, buckets and currencies. Some are of subaccounts. */
  async #ledger(): Promise<void> {
    const { account } = this.shop;
    const ofAccount = this.#owner(account, 'account', (n) => this.#id('acct', n));
    await this.#insert('balances', (n) => ({
      currency: 'XAF',
      account: `pending:${n === 0 ? account.common : this.#id('acct', n)}`,
      guarded: false,
      posted_minor: 100,
    }));
    const made = Array.from({ length: this.#rows }, (_, n) => ({
      kind: drawn(n, 'kind', ['transfer.reserved', RARE], ['refund.covered', 0.25], ['payment.succeeded', 1]),
      source_id: this.#id('att', n),
      subject_id: this.#id('trx', n),
      created_at: new Date(this.#at(n)),
      currency: drawn(n, 'currency', ['XOF', RARE], ['XAF', 1]),
      credit: drawn(n, 'bucket', [BUCKETS.at(-1), RARE], [`pending:${ofAccount(n)}`, 0.2], ['pending', 1]),
    }));
    await this.#db.run({
      text: `with made as (
          select * from json_to_recordset($2) as m(kind text, source_id text, subject_id text, created_at timestamptz, currency text, credit text)
        ), booked as (
          insert into journals (team_id, kind, source_id, subject_id, created_at)
          select $1, kind, source_id, subject_id, created_at from made order by source_id returning id, source_id
        )
        insert into postings (team_id, journal_id, line, currency, debit, credit, amount_minor)
        select $1, b.id, line, m.currency, case line when 1 then 'clearing' else m.credit end,
          case line when 1 then m.credit else 'fee_income' end, case line when 1 then 100 else 1 end
        from booked b join made m using (source_id), generate_series(1, 2) line`,
      values: [this.#team_id, JSON.stringify(made)],
    });
  }
}

const KEY = { key_id: 'key_1', request_id: 'req_1' };
