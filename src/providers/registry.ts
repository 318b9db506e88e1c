import type { Environment } from '../kit/environment.ts';
import type { Provider } from './contract.ts';

/** The providers of each environment by name. */
export class Registry {
  readonly #providers: Record<Environment, ReadonlyMap<string, Provider>>;

  constructor(providers: Record<Environment, Provider[]>) {
    const byName = (list: Provider[]) => new Map(list.map((provider) => [provider.name, provider]));
    this.#providers = { sandbox: byName(providers.sandbox), live: byName(providers.live) };
  }

  /** Those that can collect on the channel, in order of preference. */
  collectorsOf(environment: Environment, channelId: string, currency: string): Provider[] {
    return [...this.#providers[environment].values()].filter((provider) => provider.collects(channelId, currency));
  }

  /** Those that can pay out on the channel, in order of preference. */
  payersOf(environment: Environment, channelId: string, currency: string): Provider[] {
    return [...this.#providers[environment].values()].filter((provider) => provider.payouts?.reaches(channelId, currency));
  }

  byName(environment: Environment, name: string): Provider | undefined {
    return this.#providers[environment].get(name);
  }
}
