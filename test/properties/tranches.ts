import assert from 'node:assert/strict';
import { WORKER } from '../../src/tenants/audit/actor.ts';
import { must } from '../../src/kit/errors.ts';
import { newId } from '../../src/kit/ids.ts';
import { sql } from '../../src/kit/sql.ts';
import { apply } from '../../src/core/payments/apply.ts';
import type { Change } from '../../src/core/payments/change.ts';
import { findAttempt, insertAttempts } from '../../src/core/attempts/store.ts';
import { changeOfReading, changeOfSubmission } from '../../src/core/charge/outcomes.ts';
import { resolveAttempt } from '../../src/core/charge/resolve.ts';
import { findPayment } from '../../src/core/payments/store.ts';
import { trancheOf } from '../../src/core/charge/tranches.ts';
import { channelById } from '../../src/providers/reference/channels.ts';
import { advanceRefund } from '../../src/core/refunds/send.ts';
import { findRefund } from '../../src/core/refunds/store.ts';
import { returnSweep } from '../../src/core/returns/sweeps.ts';
import { largestChargeOf, modelFee, modelTranche } from './money-model.ts';
import type { Bearer, Payments } from './payments.ts';
import { type Piece, type TrancheUpdate, TranchesModel, type TranchesPayment } from './tranches-model.ts';
import type { Lane } from './service.ts';

/** A payment that takes about so many pieces. */
export interface Order {
  pieces: number;
  /** Whole units beyond equal pieces: no two of them are alike then. */
  extra: number;
  bearer: Bearer;
  split: boolean;
}

/** Payments too large for one charge, in the service and in the model. */
export class Pieces {
  readonly #lane: Lane;
  readonly #model: TranchesModel;
  readonly #payments: Payments;

  /** @param payments what they become part of once they are paid */
  constructor(lane: Lane, payments: Payments) {
    this.#lane = lane;
    this.#payments = payments;
    this.#model = new TranchesModel(lane.books);
  }

  async order({ pieces, extra, bearer, split }: Order): Promise<void> {
    const { api, currency } = this.#lane;
    const amount = (BigInt(pieces) * largestChargeOf(currency) * 9n) / 10n + BigInt(extra) * 100n;
    const fee = modelFee(api.config.fees.mobile_money, amount, currency);
    const total = bearer === 'customer' ? amount + fee : amount;
    const id = await this.#payments.insert(amount, bearer, split);
    const shares = this.#payments.sharesOf(total - fee, split);
    this.#model.payments.push({ id, amount, total, shares, captured: 0n, state: 'unpaid', pieces: [] });
  }

  /** Asks about the piece under way, or sends the next one; the provider answers with the news. */
  async collect(index: number, news: TrancheUpdate): Promise<void> {
    const payment = this.#pick(index);
    if (!payment) return;
    const open = this.#model.open(payment);
    if (open) await this.#ask(payment, open, news);
    else if (this.#model.wantsPiece(payment)) await this.#send(payment, news);
  }

  /** The provider said that no money moved, and now that it did. */
  async late(index: number): Promise<void> {
    const payment = this.#pick(index);
    const piece = payment?.pieces.find(({ state }) => state === 'none');
    if (payment && piece) await this.#ask(payment, piece, 'captured');
  }

  /** A person decides about a piece of which nobody knows. */
  async resolve(index: number, as: 'succeeded' | 'failed'): Promise<void> {
    const payment = this.#pick(index);
    const piece = payment && this.#model.open(payment);
    if (!piece) return;
    const { api, store, team_id } = this.#lane;
    const verdict = { as, evidence: 'statement of the day', author: 'ops' } as Parameters<typeof resolveAttempt>[3];
    await resolveAttempt(api.deps, store, { team_id, id: piece.attempt_id }, verdict, WORKER);
    await this.#learn(payment, piece, as === 'succeeded' ? 'captured' : 'declined');
  }

  async expire(index: number): Promise<void> {
    const payment = this.#pick(index);
    if (!payment) return;
    await this.#apply({ team_id: this.#lane.team_id, payment_id: payment.id, occurrences: [{ kind: 'window_elapsed' }] });
    this.#model.expire(payment);
    if (payment.state === 'over') await this.#giveBack();
  }

  async #send(payment: TranchesPayment, news: TrancheUpdate): Promise<void> {
    const { api, store, team_id, currency } = this.#lane;
    const at = api.deps.clock.now();
    const channel = this.#channel();
    const row = must(await findPayment(store.db, team_id, payment.id), 'it was made');
    const attempt_id = newId('att', 'live', at);
    const amount_minor = trancheOf(api.config, row, channel);
    assert.equal(amount_minor, modelTranche(payment.total - payment.captured, currency));
    await store.db.transaction((tx) =>
      insertAttempts(tx, [
        {
          team_id,
          id: attempt_id,
          payment_id: payment.id,
          provider: 'sandbox',
          provider_account: 'sandbox',
          channel: channel.id,
          amount_minor,
          currency,
          payer: '+237650000000',
          country: channel.country,
          provider_key: attempt_id,
          client_ip: null,
          counted_day: null,
          decision: {},
          created_at: new Date(at),
          next_poll_at: new Date(at),
        },
      ]),
    );
    const attempt = must(await findAttempt(store.db, team_id, attempt_id), 'it was just made');
    const piece: Piece = { attempt_id, amount: amount_minor, state: 'open', aside: null };
    payment.pieces.push(piece);
    const submission =
      news === 'declined'
        ? ({ kind: 'refused', reason: 'insufficient_funds', message: 'no' } as const)
        : news === 'unknown'
          ? ({ kind: 'unknown', message: 'the line went dead' } as const)
          : this.#evidence(piece, news);
    await this.#apply(changeOfSubmission(api.config, 'live', row, attempt, submission, at));
    await this.#learn(payment, piece, news);
  }

  async #ask(payment: TranchesPayment, piece: Piece, news: TrancheUpdate): Promise<void> {
    const { api, store, team_id } = this.#lane;
    const row = must(await findPayment(store.db, team_id, payment.id), 'it was made');
    const attempt = must(await findAttempt(store.db, team_id, piece.attempt_id), 'it was made');
    const reading =
      news === 'declined'
        ? ({ kind: 'failed', reason: 'payer_declined', message: 'no' } as const)
        : news === 'unknown'
          ? ({ kind: 'unreadable', message: 'an empty page' } as const)
          : this.#evidence(piece, news);
    const plan = { polls: { first_ms: 1_000, factor: 2, max_ms: 60_000 }, not_found_grace_ms: 600_000 };
    await this.#apply(changeOfReading(api.config, 'live', row, attempt, reading, plan, api.deps.clock.now()));
    await this.#learn(payment, piece, news);
  }

  /** @param news captured, short or stray */
  #evidence(piece: Piece, news: TrancheUpdate) {
    return { kind: 'succeeded', provider_ref: `ref-${piece.attempt_id}`, ...this.#said(piece, news) } as const;
  }

  #said({ amount }: Piece, news: TrancheUpdate): { amount_minor: bigint; currency: string } {
    return { amount_minor: news === 'short' ? amount - 100n : amount, currency: news === 'stray' ? 'GHS' : this.#lane.currency };
  }

  async #learn(payment: TranchesPayment, piece: Piece, news: TrancheUpdate): Promise<void> {
    const { amount_minor, currency } = this.#said(piece, news);
    const came = this.#model.learn(payment, piece, news, { amount: amount_minor, currency });
    const { id, amount, total: charged, shares } = payment;
    if (came === 'paid') this.#payments.model.pay({ id, amount, charged, shares, held: true, refunds_fail: false });
    if (came === 'surplus') await this.#giveBack();
  }

  async #apply(change: Change): Promise<void> {
    const { api, store } = this.#lane;
    const context = { environment: store.environment, at: api.deps.clock.now(), listeners: [] };
    await store.db.transaction((tx) => apply(tx, context, [change]));
  }

  /** Runs the sweep until nothing of this team is to be given back (another sequence's may have taken it), and sends it. */
  async #giveBack(): Promise<void> {
    const { api, store, team_id } = this.#lane;
    const marked = () => store.db.all(sql`select 1 from returns where team_id = ${team_id} and state = 'owed' limit 1`);
    while ((await marked()).length > 0) await returnSweep(api.deps, store).round();
    const underWay = await store.db.all<{ id: string }>(sql`
      select id from refunds where team_id = ${team_id} and kind = 'giveback' and status in ('pending', 'processing')`);
    for (const { id } of underWay) {
      const refund = must(await findRefund(store.db, team_id, id), 'it was just read');
      assert.equal((await advanceRefund(api.deps, store, refund)).status, 'succeeded');
    }
  }

  #pick(index: number): TranchesPayment | undefined {
    return this.#model.payments[index % Math.max(1, this.#model.payments.length)];
  }

  #channel() {
    return must(channelById(this.#lane.currency === 'XAF' ? 'cm.mtn' : 'ng.mtn'), 'a channel of the reference data');
  }
}
