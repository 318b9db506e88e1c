import assert from 'node:assert/strict';
import type { Store } from '../../src/db/stores.ts';
import { changeDispute, openDispute } from '../../src/disputes/service.ts';
import { eventInput } from '../../src/events/record.ts';
import type { Call } from '../../src/http/route.ts';
import { Problem } from '../../src/kit/errors.ts';
import { newId } from '../../src/kit/ids.ts';
import { decimalsOf } from '../../src/kit/money.ts';
import { sql } from '../../src/kit/sql.ts';
import { readBalances } from '../../src/ledger/balances.ts';
import { foldDeltas } from '../../src/ledger/fold.ts';
import { apply } from '../../src/payments/apply.ts';
import { insertAttempt } from '../../src/payments/attempts-store.ts';
import { feeOf } from '../../src/payments/fees.ts';
import { insertPayments } from '../../src/payments/store.ts';
import { Registry } from '../../src/providers/registry.ts';
import { sandboxProvider } from '../../src/providers/sandbox/index.ts';
import type { CreateRefundBody, RefundRow } from '../../src/refunds/schema.ts';
import { advanceRefund } from '../../src/refunds/send.ts';
import { coverLater, createRefund } from '../../src/refunds/service.ts';
import { findRefund } from '../../src/refunds/store.ts';
import { type Split, sharesOf } from '../../src/settlement/shares.ts';
import { releaseSweep } from '../../src/settlement/sweeps.ts';
import { newTeamId } from '../../src/teams/service.ts';
import { checkBooks } from '../faults/books.ts';
import { type Api, FakeClock, startApi } from '../setup/api.ts';
import { type Bucket, Model } from './model.ts';

export type Command =
  | { kind: 'pay'; amount: number; held: boolean; bearer: 'merchant' | 'customer'; split: boolean; refunds_fail: boolean }
  | { kind: 'refund'; payment: number; percent: number }
  | { kind: 'release' }
  | { kind: 'cover' }
  | { kind: 'dispute'; payment: number }
  | { kind: 'decide'; payment: number; won: boolean };

const CAP = 200_00n;
const HOLD_MS = 3_600_000;

let api: Api;
let store: Store;
let folding = true;
let folder: Promise<void>;

/** One service whose live store is served by the sandbox provider, so that holds and caps are those of live. */
export async function openBench(): Promise<void> {
  const clock = new FakeClock();
  const provider = sandboxProvider({ clock, delay_ms: 0 });
  const providers = new Registry({ sandbox: [provider], live: [provider] });
  api = await startApi({ workers: false, clock, providers, env: { CREDIT_CAP_LIVE: String(CAP / 100n), DATABASE_POOL: '24' } });
  store = api.deps.stores.live;
  folder = (async () => {
    while (folding) if ((await foldDeltas(store.db, 500)) === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  })();
}

export async function closeBench(): Promise<void> {
  folding = false;
  await folder;
  await api.stop();
}

/** @returns what does not hold over all teams */
export function checkAllBooks(): Promise<string[]> {
  return checkBooks(store.db);
}

/** One team: its commands go to the service and to the model. */
export class MoneyBench {
  readonly #team_id = newTeamId();
  readonly #account = newId('acct', 'live', Date.now());
  readonly #currency: string;
  readonly #split: Split;
  readonly #model = new Model(CAP);

  private constructor(currency: string, split: Split) {
    this.#currency = currency;
    this.#split = split;
  }

  static async start(currency: string, split: Split): Promise<MoneyBench> {
    return new MoneyBench(currency, split);
  }

  async run(command: Command): Promise<void> {
    switch (command.kind) {
      case 'pay':
        return this.#pay(command);
      case 'refund':
        return this.#refund(command.payment, command.percent);
      case 'release':
        return this.#release();
      case 'cover':
        return this.#cover();
      case 'dispute':
        return this.#dispute(command.payment);
      case 'decide':
        return this.#decide(command.payment, command.won);
    }
  }

  /** Every account of the team is what the model says, and the books sum to zero. */
  async agree(): Promise<void> {
    const balances = await readBalances(store.db, this.#team_id, this.#currency);
    for (const name of this.#model.names()) {
      const [bucket, party] = name.split('|') as [Bucket, string];
      const account = party === '' ? bucket : (`${bucket}:${party}` as const);
      assert.equal(balances.get(account) ?? 0n, this.#model.balance(bucket, party), `${account} of team ${this.#team_id}`);
    }
    assert.equal(
      [...balances.values()].reduce((sum, amount) => sum + amount, 0n),
      0n,
      'the books sum to zero',
    );
  }

  async #pay({ amount, held, bearer, split, refunds_fail }: Extract<Command, { kind: 'pay' }>): Promise<void> {
    const at = api.deps.clock.now();
    const amount_minor = BigInt(amount) * (decimalsOf(this.#currency) === 0 ? 100n : 1n);
    const fee_minor = feeOf(api.config.fees, 'mobile_money', amount_minor, this.#currency);
    const account_id = split ? this.#account : null;
    const id = await this.#insertPayment(at, amount_minor, bearer, account_id);
    const attempt_id = newId('att', 'live', at);
    const charged = bearer === 'customer' ? amount_minor + fee_minor : amount_minor;
    await store.db.transaction(async (tx) => {
      await insertAttempt(tx, {
        team_id: this.#team_id,
        id: attempt_id,
        payment_id: id,
        provider: 'sandbox',
        channel: this.#currency === 'XAF' ? 'cm.mtn' : 'ng.mtn',
        amount_minor: charged,
        currency: this.#currency,
        payer: refunds_fail ? '+237650000009' : '+237650000000',
        country: 'CM',
        provider_key: attempt_id,
        client_ip: null,
        decision: {},
        created_at: new Date(at),
        next_poll_at: new Date(at),
      });
      await apply(tx, { environment: 'live', at }, [
        {
          team_id: this.#team_id,
          payment_id: id,
          attempt: { id: attempt_id, update: { status: 'succeeded', next_poll_at: null } },
          happenings: [
            { kind: 'submitted', channel: 'cm.mtn', fee_minor },
            { kind: 'captured', attempt_id, amount_minor: charged, hold_ms: held ? HOLD_MS : 0 },
          ],
        },
      ]);
    });
    this.#model.pay(id, amount_minor, sharesOf(charged - fee_minor, this.#currency, account_id, this.#split), held, refunds_fail);
  }

  async #insertPayment(at: number, amount_minor: bigint, bearer: string, account_id: string | null): Promise<string> {
    const id = newId('trx', 'live', at);
    const event = eventInput('live', at, {
      team_id: this.#team_id,
      type: 'payment.created',
      resource_id: id,
      sequence: 1,
      data: {},
    });
    await insertPayments(store.db, [
      {
        ...event,
        id,
        route: 'test',
        idempotency_key: null,
        request_hash: '',
        reference: null,
        amount_minor: String(amount_minor),
        currency: this.#currency,
        bearer,
        description: null,
        customer_id: null,
        account_id,
        split: account_id ? this.#split : null,
        name: null,
        email: null,
        phone: null,
        callback: null,
        details: null,
        unique_reference: false,
        key_id: 'key_test',
        request_id: 'req_test',
        expires_at: new Date(at + 86_400_000).toISOString(),
      },
    ]);
    return id;
  }

  #pick(index: number) {
    return this.#model.payments[index % Math.max(1, this.#model.payments.length)];
  }

  async #refund(index: number, percent: number): Promise<void> {
    const payment = this.#pick(index);
    if (!payment) return;
    const unit = decimalsOf(this.#currency) === 0 ? 100n : 1n;
    const amount = ((this.#model.left(payment) * BigInt(percent)) / 100n / unit) * unit;
    if (amount <= 0n) return;
    const expected = this.#model.refund(payment, amount);
    const refund = await this.#create({ payment: payment.id, amount: Number(amount) / 100, reason: 'duplicate' });
    if (refund === null) return assert.equal('refused', expected);
    if (refund.draws === null) {
      payment.uncovered.push({ id: refund.id, amount });
      return assert.equal('waits', expected);
    }
    assert.equal((await advanceRefund(api.deps, store, refund)).status, expected);
  }

  async #create(body: CreateRefundBody): Promise<RefundRow | null> {
    const call = {
      caller: { team: { id: this.#team_id }, store, key_id: 'key_test' },
      body,
      params: {},
      query: {},
      idempotency_key: null,
      sync: null,
      request_id: 'req_test',
      at: api.deps.clock.now(),
    } as unknown as Call<CreateRefundBody>;
    try {
      return (await createRefund(api.deps, call)).refund;
    } catch (error) {
      if (error instanceof Problem) return null;
      throw error;
    }
  }

  /** Only this team's holds are over: the others' sequences go on undisturbed. */
  async #release(): Promise<void> {
    const now = new Date(api.deps.clock.now());
    await store.db.run(
      sql`update settlement_items set release_at = ${now} where team_id = ${this.#team_id} and released_at is null`,
    );
    const waiting = () =>
      store.db.all(sql`select 1 from settlement_items where team_id = ${this.#team_id} and released_at is null limit 1`);
    while ((await waiting()).length > 0) await releaseSweep(api.deps, store).round();
    this.#model.release();
  }

  async #cover(): Promise<void> {
    for (const payment of this.#model.payments) {
      for (const waiting of [...payment.uncovered]) {
        const known = (await findRefund(store.db, this.#team_id, waiting.id)) as RefundRow;
        const covered = await store.db.transaction((tx) => coverLater(tx, api.config, store, known));
        const expected = this.#model.cover(payment, waiting);
        if (covered === null) assert.equal('waits', expected);
        else assert.equal((await advanceRefund(api.deps, store, covered)).status, expected);
      }
    }
  }

  async #dispute(index: number): Promise<void> {
    const payment = this.#pick(index);
    if (!payment) return;
    try {
      const row = await openDispute(api.deps, store, { team_id: this.#team_id, payment_id: payment.id, reason: 'fraudulent' });
      assert.equal(row.amount_minor, this.#model.dispute(payment, row.id));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      assert.equal(null, this.#model.dispute(payment, ''));
    }
  }

  async #decide(index: number, won: boolean): Promise<void> {
    const payment = this.#pick(index);
    if (!payment?.dispute) return;
    await changeDispute(
      api.deps,
      store,
      { team_id: this.#team_id, id: payment.dispute.id },
      won ? 'provider_decided_won' : 'provider_decided_lost',
    );
    this.#model.closeDispute(payment, won);
  }
}
