import assert from 'node:assert/strict';
import { checkTeam } from '../../src/core/books-check/check.ts';
import type { BooksDifference } from '../../src/core/books-check/differences.ts';
import type { Store } from '../../src/platform/db/stores.ts';
import { receive } from '../../src/edge/callbacks/receive.ts';
import { changeDispute, openDispute } from '../../src/core/disputes/service.ts';
import type { DisputeTrigger } from '../../src/core/disputes/states.ts';
import type { Call } from '../../src/tenants/api/route.ts';
import type { Environment } from '../../src/kit/environment.ts';
import { Problem } from '../../src/kit/errors.ts';
import { applyAttemptCallback } from '../../src/core/charge/callback.ts';
import { sweepsOf } from '../../src/program/program.ts';
import type { Listed, Providers } from '../../src/providers/provider-accounts/directory.ts';
import type { Provider } from '../../src/providers/adapters/contract.ts';
import type { CreateRefundBody, RefundRow } from '../../src/core/refunds/schema.ts';
import { advanceRefund } from '../../src/core/refunds/send.ts';
import { createRefund } from '../../src/core/refunds/service.ts';
import type { Split } from '../../src/money/settlement/shares.ts';
import { type Answer, type Api, FakeClock, type Merchant, startApi } from './api.ts';
import type { SimulatedProvider } from './simulated-provider.ts';

/** Sweeps that move no money: what they do is not waited for. */
const ASIDE = /^(ledger-|audit-|mail|purge-|float|erasures|payers|methods|invoice|link|abuse|figures)/;

/** Simulated providers, each of one team. */
class TeamProviders implements Providers {
  readonly #byTeam = new Map<bigint, Provider>();

  set(team_id: bigint, provider: Provider): void {
    this.#byTeam.set(team_id, provider);
  }

  async of(_: Environment, team_id: bigint): Promise<Listed[]> {
    const provider = this.#byTeam.get(team_id);
    return provider ? [{ provider, name: provider.account_id, costs: null }] : [];
  }

  async byAccount(_: Environment, team_id: bigint): Promise<Provider | undefined> {
    return this.#byTeam.get(team_id);
  }

  async addressed(): Promise<undefined> {
    return undefined;
  }
}

/** A service whose background work and clock the test moves; every merchant has a simulated provider of its own. */
export class Market {
  readonly api: Api;
  readonly clock: FakeClock;
  readonly #providers: TeamProviders;

  private constructor(api: Api, clock: FakeClock, providers: TeamProviders) {
    this.api = api;
    this.clock = clock;
    this.#providers = providers;
  }

  static async open(env: Record<string, string> = {}): Promise<Market> {
    const clock = new FakeClock();
    const providers = new TeamProviders();
    return new Market(await startApi({ workers: false, clock, providers, env }), clock, providers);
  }

  async shop(environment: Environment, simulated: SimulatedProvider): Promise<Shop> {
    const merchant = await this.api.newMerchant({ verification_level: 4, plan: 'unlimited' });
    this.#providers.set(merchant.team.id, simulated.provider);
    return new Shop(this, environment, merchant, simulated);
  }

  /** One round of everything that moves money in a store. */
  async work(environment: Environment): Promise<void> {
    for (const sweep of sweepsOf(this.api.deps, this.api.deps.stores[environment])) {
      if (!ASIDE.test(sweep.name)) await sweep.round();
    }
  }
}

export interface Order {
  amount: number;
  currency?: string;
  bearer?: 'merchant' | 'customer';
  account?: string | null;
}

/** A merchant of the market, as its own software would call the service. */
export class Shop {
  readonly market: Market;
  readonly environment: Environment;
  readonly simulated: SimulatedProvider;
  readonly team_id: bigint;
  readonly #key: string;
  /** Refunds as they were when they were made. */
  readonly #made = new Map<string, RefundRow>();

  constructor(market: Market, environment: Environment, merchant: Merchant, simulated: SimulatedProvider) {
    this.market = market;
    this.environment = environment;
    this.simulated = simulated;
    this.team_id = merchant.team.id;
    this.#key = merchant[environment].secret;
  }

  get store(): Store {
    return this.market.api.deps.stores[this.environment];
  }

  call(method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<Answer> {
    return this.market.api.call(method, path, { key: this.#key, headers, ...(body ? { body } : {}) });
  }

  async account(split: Split): Promise<string> {
    const { status, body } = await this.call('POST', '/accounts', { name: 'Boutique', email: 'b@shop.example', split });
    assert.equal(status, 201, JSON.stringify(body));
    return body.account.id;
  }

  /** Creates a payment; nobody has paid it yet. */
  async order({ amount, currency = 'XAF', bearer = 'merchant', account = null }: Order): Promise<string> {
    const body = { amount, currency, bearer, phone: '+237650000000' };
    const answer = await this.call('POST', '/payments', body, account ? { 'X-Sync': account } : {});
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    return answer.body.transaction.id;
  }

  /** The payer submits the payment, or its next tranche. */
  charge(id: string, currency = 'XAF'): Promise<Answer> {
    const [channel, phone] = currency === 'XAF' ? ['cm.mtn', '650000000'] : ['ng.mtn', '8030000000'];
    this.market.clock.advance(1); // ids of one moment have no order
    return this.call('POST', `/payments/${id}`, { channel, data: { phone } });
  }

  /** A payment that is paid, tranche by tranche. */
  async paid(order: Order): Promise<string> {
    const id = await this.order(order);
    await this.charge(id, order.currency);
    for (let round = 0; (await this.shown(id)).status !== 'succeeded'; round++) {
      assert.ok(round < 20, `${id} is never paid`);
      await this.pass(2_000);
    }
    return id;
  }

  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever shape they expect
  async shown(id: string): Promise<any> {
    return (await this.call('GET', `/payments/${id}`)).body.transaction;
  }

  /**
   * The sandbox sends a refund before it answers. In live the worker sends it, so that a test knows when; or it is sent part by
   * part at once, as the answered call goes on to do.
   * @returns its id, or null when there is nothing to refund
   */
  async refund(payment: string, amount?: number, at_once = false): Promise<string | null> {
    this.market.clock.advance(1);
    const body: CreateRefundBody = { payment, reason: 'duplicate', ...(amount === undefined ? {} : { amount }) };
    if (this.environment === 'sandbox') return (await this.call('POST', '/refunds', body)).body.refund?.id ?? null;
    const call = {
      ...{ caller: { team: { id: this.team_id }, store: this.store, key_id: 'key_test' }, body, params: {}, query: {} },
      ...{ idempotency_key: null, sync: null, request_id: 'req_test', at: this.market.clock.now() },
    } as unknown as Call<CreateRefundBody>;
    const made = await createRefund(this.market.api.deps, call).catch((error) => {
      if (error instanceof Problem) return null;
      throw error;
    });
    if (made?.refund) this.#made.set(made.refund.id, made.refund);
    if (at_once && made?.refund?.draws) await this.#send(made.refund);
    return made?.refund?.id ?? null;
  }

  /** A worker that read the refund when it was made takes it one step further now. */
  async advanceStale(id: string): Promise<void> {
    const made = this.#made.get(id);
    if (made?.draws) await advanceRefund(this.market.api.deps, this.store, made);
  }

  async #send(made: RefundRow): Promise<void> {
    let refund = made;
    for (const _ of made.legs) refund = await advanceRefund(this.market.api.deps, this.store, refund);
  }

  transfer(amount: number, currency = 'XAF'): Promise<Answer> {
    const [channel, recipient] = currency === 'XAF' ? ['cm.mtn', '+237650000000'] : ['ng.mtn', '+2348030000000'];
    return this.call('POST', '/transfers', { amount, currency, channel, recipient });
  }

  /** The provider calls back at the address of the account, without a result that can be trusted. */
  async callBack(provider_key: string): Promise<void> {
    const to = { team_id: this.team_id, environment: this.environment, provider: this.simulated.provider };
    const deps = this.market.api.deps as unknown as Parameters<typeof receive>[0];
    const hint = { kind: 'hint', subject: { by: 'provider_key', value: provider_key } } as const;
    assert.ok(await receive(deps, to as Parameters<typeof receive>[1], hint, null));
  }

  /** @returns the dispute, or null when there is nothing to dispute */
  async dispute(payment_id: string): Promise<string | null> {
    const opening = { team_id: this.team_id, payment_id, reason: 'fraudulent' };
    return openDispute(this.market.api.deps, this.store, opening).then(
      ({ id }) => id,
      (error) => {
        if (error instanceof Problem) return null;
        throw error;
      },
    );
  }

  /** @returns the dispute as it is then */
  async decide(dispute: string, trigger: DisputeTrigger): Promise<{ status: string; amount_minor: bigint }> {
    const ref = { team_id: this.team_id, id: dispute };
    return changeDispute(this.market.api.deps, this.store, ref, trigger).catch((error) => {
      if (!(error instanceof Problem)) throw error;
      return { status: 'unchanged', amount_minor: 0n };
    });
  }

  /** The provider calls back about a collection; the service asks what became of it. */
  async notify(key: string): Promise<void> {
    const from = { team_id: this.team_id, account_id: this.simulated.provider.account_id };
    await applyAttemptCallback(this.market.api.deps, this.store, from, { by: 'provider_key', value: key }, null);
  }

  /** Time passes, and the worker does what has come due. */
  async pass(ms: number): Promise<void> {
    this.market.clock.advance(ms);
    await this.market.work(this.environment);
  }

  /** What `pirogue ledger verify` finds between the ledger and the rows. */
  async differences(): Promise<BooksDifference[]> {
    const found: BooksDifference[] = [];
    await checkTeam(this.store.db, this.team_id, (difference) => found.push(difference));
    return found;
  }
}
