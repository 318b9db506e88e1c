import assert from 'node:assert/strict';
import type { Call } from '../../src/tenants/api/route.ts';
import { must, Problem } from '../../src/kit/errors.ts';
import { decimalsOf } from '../../src/kit/money.ts';
import type { Payout, PayoutOutcome } from '../../src/providers/adapters/contract.ts';
import { channelById, limitsOf } from '../../src/providers/reference/channels.ts';
import { applyTransfers } from '../../src/core/transfers/apply.ts';
import { createTransfer } from '../../src/core/transfers/create.ts';
import type { CreateTransferBody } from '../../src/core/transfers/schema.ts';
import { advance, type Sender } from '../../src/core/transfers/send.ts';
import { findTransfer } from '../../src/core/transfers/store.ts';
import { modelFee } from './money-model.ts';
import { fates, type Lane } from './service.ts';
import { type PayoutNews, TransfersModel } from './transfers-model.ts';

/** A level without ceilings. */
const LEVEL = 4;

/** Transfers of one team, in the service and in the model. */
export class Transfers {
  readonly #lane: Lane;
  readonly #model: TransfersModel;

  constructor(lane: Lane) {
    this.#lane = lane;
    this.#model = new TransfersModel(lane.books);
  }

  /** @param percent of what is available now, as far as the channel goes @param twice two requests at once */
  async create(percent: number, twice: boolean): Promise<void> {
    const { api, books, currency } = this.#lane;
    const { min_minor, max_minor } = must(limitsOf(this.#channel(), currency), 'the channel pays out in this currency');
    const unit = decimalsOf(currency) === 0 ? 100n : 1n;
    const wanted = ((books.balance('available') * BigInt(percent)) / 100n / unit) * unit;
    const amount = wanted < min_minor ? min_minor : wanted > max_minor ? max_minor : wanted;
    const fee = modelFee(api.config.fees.transfer, amount, currency);
    const made = await Promise.all(Array.from({ length: twice ? 2 : 1 }, () => this.#create(amount)));
    const covered = made.map(() => this.#model.create(amount, fee));
    assert.deepEqual(made.map(({ status }) => status).sort(), covered.map((is) => (is ? 'processing' : 'failed')).sort());
    for (const { id, status, reason } of made) {
      if (status === 'processing') this.#model.add(id, amount, fee);
      else assert.equal(reason, 'insufficient_balance');
    }
  }

  /** Hands one over, or asks about it; the provider answers with the news. */
  async step(index: number, news: PayoutNews): Promise<void> {
    const open = this.#model.transfers.filter(({ stage }) => stage !== 'closed');
    const transfer = open[index % Math.max(1, open.length)];
    if (!transfer) return;
    fates.set(transfer.id, (payout) => outcomeOf(payout, news));
    const { api, store, team_id } = this.#lane;
    const row = must(await findTransfer(store.db, { team_id, id: transfer.id }), 'it was made');
    await advance(this.#sender(), row);
    this.#model.step(transfer, news);
    // The very same news again, from whoever was asked too: it is old and changes nothing.
    if (transfer.stage === 'closed') {
      const context = { environment: store.environment, at: api.deps.clock.now() };
      const late = { known: row, occurrence: { kind: 'succeeded', provider_ref: 'late' } } as const;
      const applied = await store.db.transaction((tx) => applyTransfers(tx, context, [late]));
      assert.equal(applied.get(transfer.id)?.changed, false);
    }
  }

  #sender(): Sender {
    const { api, store } = this.#lane;
    return {
      deps: api.deps,
      store,
      apply: (change) =>
        store.db.transaction(async (tx) => {
          const context = { environment: store.environment, at: api.deps.clock.now() };
          return must((await applyTransfers(tx, context, [change])).get(change.known.id), 'the transfer exists');
        }),
    };
  }

  #channel() {
    return must(channelById(this.#lane.currency === 'XAF' ? 'cm.mtn' : 'ng.mtn'), 'a channel of the reference data');
  }

  async #create(amount_minor: bigint): Promise<{ id: string; status: string; reason: string | null }> {
    const { api, store, team_id, currency } = this.#lane;
    const { id: channel } = this.#channel();
    const recipient = currency === 'XAF' ? '+237650000000' : '+2348030000000';
    const call = {
      caller: { team: { id: team_id, verification_level: LEVEL }, store, key_id: 'key_test' },
      body: { amount: Number(amount_minor) / 100, currency, channel, recipient },
      params: {},
      query: {},
      idempotency_key: null,
      sync: null,
      request_id: 'req_test',
      at: api.deps.clock.now(),
    } as unknown as Call<CreateTransferBody>;
    try {
      const { body } = await createTransfer(api.deps, call);
      return (body as { transfer: { id: string; status: string; reason: string | null } }).transfer;
    } catch (error) {
      throw error instanceof Problem ? new Error(JSON.stringify(error)) : error;
    }
  }
}

function outcomeOf({ amount_minor, currency }: Payout, news: PayoutNews): PayoutOutcome {
  switch (news) {
    case 'pending':
      return { kind: 'pending', provider_ref: null, poll_after_ms: 1_000 };
    case 'paid':
      return { kind: 'succeeded', provider_ref: 'paid', amount_minor, currency };
    case 'failed':
      return { kind: 'failed', reason: 'invalid_recipient', message: 'no such account' };
    case 'cancelled':
      return { kind: 'cancelled', message: 'given up' };
    case 'unavailable':
      return { kind: 'unavailable', message: 'closed' };
  }
}
