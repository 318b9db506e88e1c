import { saveMethods } from '../../src/core/customers/methods.ts';
import { changeDispute, openDispute } from '../../src/core/disputes/service.ts';
import { Problem } from '../../src/kit/errors.ts';
import type { Api } from '../setup/api.ts';
import type { Memory } from './requests.ts';
import type { Random } from './values.ts';

/** A team's data in one environment, under the name of the callers that see it. */
export interface Owner {
  name: string;
  environment: 'sandbox' | 'live';
}

const DECISIONS = ['provider_decided_won', 'provider_decided_lost', 'withdrawn'] as const;

/** What happens to a merchant without any request to the API: disputes of payers, and payment methods that payers save. */
export class Outside {
  readonly #api: Api;
  readonly #team_id: bigint;
  readonly #owners: readonly Owner[];

  constructor(api: Api, team_id: bigint, owners: readonly Owner[]) {
    this.#api = api;
    this.#team_id = team_id;
    this.#owners = owners;
  }

  /** Does one such thing to an object that earlier answers named. What cannot happen to the object does not happen. */
  async act(random: Random, memory: Memory): Promise<void> {
    const { name, environment } = random.of(this.#owners);
    memory.caller = name;
    const { deps } = this.#api;
    const store = deps.stores[environment];
    const team_id = this.#team_id;
    // Not through the API, which refuses what no database stores.
    const idOf = (prefix: string) => memory.id(random, prefix).toWellFormed().replaceAll('\u0000', '');
    try {
      switch (random.below(3)) {
        case 0:
          await openDispute(deps, store, { team_id, payment_id: idOf('trx'), reason: 'fraudulent' });
          break;
        case 1:
          await changeDispute(deps, store, { team_id, id: idOf('dsp') }, random.of(DECISIONS));
          break;
        default:
          await this.#save(environment, idOf('cus'), `+23765000${1_000 + random.below(9_000)}`, memory);
      }
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
    }
  }

  async #save(environment: Owner['environment'], customer: string, token: string, memory: Memory): Promise<void> {
    const { stores, secrets } = this.#api.deps;
    const context = { environment, at: Date.now() };
    const means = {
      type: 'mobile_money' as const,
      channel: 'cm.mtn',
      provider_account: null,
      brand: null,
      last4: token.slice(-4),
    };
    const owner = { team_id: this.#team_id, id: customer };
    const saved = await stores[environment].db.transaction((tx) =>
      saveMethods(tx, secrets, context, [{ customer: owner, means: { ...means, token } }]),
    );
    for (const { id } of saved) memory.methods.push({ customer, method: id });
  }
}
