import assert from 'node:assert/strict';
import { changeDispute, openDispute } from '../../src/core/disputes/service.ts';
import { eventInput } from '../../src/money/events/record.ts';
import type { Call } from '../../src/tenants/api/route.ts';
import { Problem } from '../../src/kit/errors.ts';
import { newId } from '../../src/kit/ids.ts';
import { decimalsOf } from '../../src/kit/money.ts';
import { sql } from '../../src/kit/sql.ts';
import { apply } from '../../src/core/payments/apply.ts';
import { insertAttempts } from '../../src/core/attempts/store.ts';
import { STORED_COLUMNS, type StoredColumn } from '../../src/core/payments/fields.ts';
import { insertPayments } from '../../src/core/payments/create-store.ts';
import type { CreateRefundBody, RefundRow } from '../../src/core/refunds/schema.ts';
import { advanceRefund } from '../../src/core/refunds/send.ts';
import { coverLater, createRefund } from '../../src/core/refunds/service.ts';
import { findRefund } from '../../src/core/refunds/store.ts';
import type { Split } from '../../src/money/settlement/shares.ts';
import { retentionSweep } from '../../src/core/payments/sweeps.ts';
import { type ModelShare, modelFee, modelShares } from './money-model.ts';
import { PaymentsModel } from './payments-model.ts';
import { CAP, type Lane } from './service.ts';

const RETENTION_MS = 3_600_000;
const NOTHING_SENT = Object.fromEntries(STORED_COLUMNS.map((name) => [name, null])) as Record<StoredColumn, null>;

export type Bearer = 'merchant' | 'customer';

/** A payment that is paid at once, in whole units of the currency. */
export interface Paid {
  amount: number;
  held: boolean;
  bearer: Bearer;
  split: boolean;
  refunds_fail: boolean;
}

/** Paid payments of one team with their refunds, holds and disputes, in the service and in the model. */
export class Payments {
  readonly model: PaymentsModel;
  readonly #lane: Lane;
  readonly #account = newId('acct', 'live', Date.now());
  readonly #split: Split;

  constructor(lane: Lane, split: Split) {
    this.#lane = lane;
    this.#split = split;
    this.model = new PaymentsModel(lane.books, CAP);
  }

  /** Who gets what of a payment after the fee. */
  sharesOf(net_minor: bigint, split: boolean): ModelShare[] {
    return modelShares(net_minor, this.#lane.currency, split ? this.#account : null, this.#split);
  }

  async pay({ amount, held, bearer, split, refunds_fail }: Paid): Promise<void> {
    const at = this.#lane.api.deps.clock.now();
    const amount_minor = BigInt(amount) * (decimalsOf(this.#lane.currency) === 0 ? 100n : 1n);
    const fee_minor = modelFee(this.#lane.api.config.fees.mobile_money, amount_minor, this.#lane.currency);
    const id = await this.insert(amount_minor, bearer, split);
    const attempt_id = newId('att', 'live', at);
    const charged = bearer === 'customer' ? amount_minor + fee_minor : amount_minor;
    await this.#lane.store.db.transaction(async (tx) => {
      await insertAttempts(tx, [
        {
          team_id: this.#lane.team_id,
          id: attempt_id,
          payment_id: id,
          provider: 'sandbox',
          provider_account: 'sandbox',
          channel: this.#lane.currency === 'XAF' ? 'cm.mtn' : 'ng.mtn',
          amount_minor: charged,
          currency: this.#lane.currency,
          payer: refunds_fail ? '+237650000009' : '+237650000000',
          country: 'CM',
          provider_key: attempt_id,
          client_ip: null,
          counted_day: null,
          decision: {},
          created_at: new Date(at),
          next_poll_at: new Date(at),
        },
      ]);
      await apply(tx, { environment: 'live', at, listeners: [] }, [
        {
          team_id: this.#lane.team_id,
          payment_id: id,
          attempt: { id: attempt_id, update: { status: 'succeeded', next_poll_at: null } },
          occurrences: [
            { kind: 'submitted', channel: 'cm.mtn', fee_minor },
            { kind: 'captured', attempt_id, amount_minor: charged, available_at: held ? new Date(at + RETENTION_MS) : null },
          ],
        },
      ]);
    });
    const shares = this.sharesOf(charged - fee_minor, split);
    this.model.pay({ id, amount: amount_minor, charged, shares, held, refunds_fail });
  }

  /** A payment that nobody has paid yet. */
  async insert(amount_minor: bigint, bearer: Bearer, split: boolean): Promise<string> {
    const at = this.#lane.api.deps.clock.now();
    const account_id = split ? this.#account : null;
    const id = newId('trx', 'live', at);
    const event = eventInput('live', at, {
      team_id: this.#lane.team_id,
      type: 'payment.created',
      resource_id: id,
      sequence: 1,
      data: {},
    });
    await insertPayments(this.#lane.store.db, [
      {
        ...event,
        id,
        ...NOTHING_SENT,
        route: 'test',
        idempotency_key: null,
        request_hash: '',
        amount_minor,
        currency: this.#lane.currency,
        bearer,
        customer_id: null,
        account_id,
        split: account_id ? this.#split : null,
        retry_of: null,
        retry_number: null,
        name: null,
        email: null,
        phone: null,
        details: null,
        unique_reference: false,
        key_id: 'key_test',
        request_id: 'req_test',
        expires_at: new Date(at + 86_400_000),
      },
    ]);
    return id;
  }

  #pick(index: number) {
    return this.model.payments[index % Math.max(1, this.model.payments.length)];
  }

  async refund(index: number, percent: number): Promise<void> {
    const payment = this.#pick(index);
    if (!payment) return;
    const unit = decimalsOf(this.#lane.currency) === 0 ? 100n : 1n;
    const amount = ((this.model.left(payment) * BigInt(percent)) / 100n / unit) * unit;
    if (amount <= 0n) return;
    const expected = this.model.refund(payment, amount);
    const refund = await this.#create({ payment: payment.id, amount: Number(amount) / 100, reason: 'duplicate' });
    if (refund === null) return assert.equal('refused', expected);
    if (refund.draws === null) {
      payment.uncovered.push({ id: refund.id, amount });
      return assert.equal('waits', expected);
    }
    assert.equal(await this.#giveBack(refund), expected);
  }

  /** One leg for each piece the money came by. */
  async #giveBack(refund: RefundRow): Promise<RefundRow['status']> {
    let row = refund;
    for (const _ of refund.legs) row = await advanceRefund(this.#lane.api.deps, this.#lane.store, row);
    return row.status;
  }

  async #create(body: CreateRefundBody): Promise<RefundRow | null> {
    const call = {
      caller: { team: { id: this.#lane.team_id }, store: this.#lane.store, key_id: 'key_test' },
      body,
      params: {},
      query: {},
      idempotency_key: null,
      sync: null,
      request_id: 'req_test',
      at: this.#lane.api.deps.clock.now(),
    } as unknown as Call<CreateRefundBody>;
    try {
      return (await createRefund(this.#lane.api.deps, call)).refund;
    } catch (error) {
      if (error instanceof Problem) return null;
      throw error;
    }
  }

  /** Only this team's holds are over: the others' sequences go on undisturbed. */
  async release(): Promise<void> {
    const now = new Date(this.#lane.api.deps.clock.now());
    await this.#lane.store.db.run(
      sql`update settlement_items set release_at = ${now} where team_id = ${this.#lane.team_id} and released_at is null`,
    );
    const waiting = () =>
      this.#lane.store.db.all(
        sql`select 1 from settlement_items where team_id = ${this.#lane.team_id} and released_at is null limit 1`,
      );
    while ((await waiting()).length > 0) await retentionSweep(this.#lane.api.deps, this.#lane.store).round();
    this.model.release();
  }

  async cover(): Promise<void> {
    for (const payment of this.model.payments) {
      for (const waiting of [...payment.uncovered]) {
        const known = (await findRefund(this.#lane.store.db, this.#lane.team_id, waiting.id)) as RefundRow;
        const covered = await this.#lane.store.db.transaction((tx) =>
          coverLater(tx, this.#lane.api.config, this.#lane.store, known),
        );
        const expected = this.model.cover(payment, waiting);
        if (covered === null) assert.equal('waits', expected);
        else assert.equal(await this.#giveBack(covered), expected);
      }
    }
  }

  async dispute(index: number): Promise<void> {
    const payment = this.#pick(index);
    if (!payment) return;
    try {
      const row = await openDispute(this.#lane.api.deps, this.#lane.store, {
        team_id: this.#lane.team_id,
        payment_id: payment.id,
        reason: 'fraudulent',
      });
      assert.equal(row.amount_minor, this.model.dispute(payment, row.id));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      assert.equal(null, this.model.dispute(payment, ''));
    }
  }

  async decide(index: number, won: boolean): Promise<void> {
    const payment = this.#pick(index);
    if (!payment?.dispute) return;
    await changeDispute(
      this.#lane.api.deps,
      this.#lane.store,
      { team_id: this.#lane.team_id, id: payment.dispute.id },
      won ? 'provider_decided_won' : 'provider_decided_lost',
    );
    this.model.closeDispute(payment, won);
  }
}
