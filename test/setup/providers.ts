import type { Deps } from '../../src/program/deps.ts';
import { systemClock } from '../../src/kit/clock.ts';
import type { Environment } from '../../src/kit/environment.ts';
import type { Addressed, Listed, Providers } from '../../src/providers/provider-accounts/directory.ts';
import type { Offer, Provider } from '../../src/providers/adapters/contract.ts';
import { CHANNELS } from '../../src/providers/reference/channels.ts';
import { Health } from '../../src/providers/routing/health.ts';
import { Router } from '../../src/providers/routing/router.ts';
import { Ruleset } from '../../src/providers/routing/rules.ts';

/** A provider of a test: what it does not say is filled in. */
export type TestProvider = Pick<Provider, 'name' | 'submit' | 'read'> &
  Partial<Provider> & {
    /** Left out: every channel. */
    collects?(channelId: string, currency: string): boolean;
  };

/** What a worker that the test runs itself needs to see these providers instead of the service's. */
export function withProviders(providers: Registry): Pick<Deps, 'providers' | 'router'> {
  const health = new Health(systemClock);
  return { providers, router: new Router({ providers, rules: { of: async () => new Ruleset([]) }, health, clock: systemClock }) };
}

/** The same providers for every team, instead of those in the control database. */
export class Registry implements Providers {
  readonly #providers: Record<Environment, Provider[]>;

  constructor(providers: Record<Environment, TestProvider[]>) {
    this.#providers = { sandbox: providers.sandbox.map(complete), live: providers.live.map(complete) };
  }

  async of(environment: Environment): Promise<Listed[]> {
    return this.#providers[environment].map((provider) => ({ provider, name: provider.account_id, costs: null }));
  }

  async byAccount(environment: Environment, _team_id: bigint, account_id: string): Promise<Provider | undefined> {
    return this.#providers[environment].find((provider) => provider.account_id === account_id);
  }

  async addressed(): Promise<Addressed | undefined> {
    return undefined;
  }
}

function complete(provider: TestProvider): Provider {
  const { collects } = provider;
  const rest: Provider = {
    account_id: provider.name,
    capabilities: {
      idempotency: 'replays',
      readable_by: 'ours',
      polls: { first_ms: 2_000, factor: 2, max_ms: 300_000 },
      not_found_grace_ms: 600_000,
    },
    keyOf: (id) => id,
    offers: () => null,
    ...provider,
    // Tests script classes too, whose methods a spread does not see.
    submit: (collection) => provider.submit(collection),
    read: (collection) => provider.read(collection),
  };
  if (!collects) return rest;
  return { ...rest, offers: () => offersOf(provider, collects) };
}

function offersOf(provider: TestProvider, collects: (channelId: string, currency: string) => boolean): Offer[] {
  return CHANNELS.flatMap(({ id, currencies }) =>
    currencies.flatMap((currency) => {
      const operations: ('collect' | 'payout')[] = [];
      if (collects(id, currency)) operations.push('collect');
      if (provider.payouts?.reaches(id, currency)) operations.push('payout');
      const bounds = { min_minor: null, max_minor: null, step_minor: null };
      return operations.length > 0 ? [{ channel: id, currency, operations, ...bounds }] : [];
    }),
  );
}
