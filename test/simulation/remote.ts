import type { Provider } from '../../src/providers/adapters/contract.ts';
import type { Listed, Providers } from '../../src/providers/provider-accounts/directory.ts';
import type { Owner, Scheduler } from './scheduler.ts';
import { onMachine, outside, machine } from './virtual.ts';

/** Calls that travel. The others are answered by the adapter alone. */
const TRAVELS = new Set(['prepare', 'submit', 'continue', 'read', 'cancel', 'balance', 'lookup']);

export interface RemoteProviders extends Providers {
  /** Measures a provider's calls, as the directory of the program does. */
  observe: (provider: Provider) => Provider;
}

/** The providers as a node sees them: each call arrives some time after it was sent, and its answer some time after that. */
export function remoteProviders(providers: Providers, owner: Owner, scheduler: Scheduler): RemoteProviders {
  const known = new Map<Provider, Provider>();
  const remote = (provider: Provider): Provider => {
    const made = known.get(provider) ?? seen.observe(travelling(provider, provider.account_id, owner, scheduler));
    known.set(provider, made);
    return made;
  };
  const listed = (one: Listed): Listed => ({ ...one, provider: remote(one.provider) });
  const seen: RemoteProviders = {
    observe: (provider) => provider,
    of: async (environment, team_id) => (await providers.of(environment, team_id)).map(listed),
    byAccount: async (environment, team_id, account_id) => {
      const provider = await providers.byAccount(environment, team_id, account_id);
      return provider && remote(provider);
    },
    addressed: async (account_id) => {
      const found = await providers.addressed(account_id);
      return found && { ...found, provider: remote(found.provider) };
    },
  };
  return seen;
}

function travelling<T extends object>(target: T, name: string, owner: Owner, scheduler: Scheduler): T {
  const made = new Map<PropertyKey, unknown>();
  return new Proxy(target, {
    get: (_, key) => {
      if (made.has(key)) return made.get(key);
      const value = Reflect.get(target, key) as unknown;
      const wrapped = wrap(value, String(key));
      made.set(key, wrapped);
      return wrapped;
    },
  });

  function wrap(value: unknown, key: string): unknown {
    if (key === 'refunds' || key === 'payouts') return value && travelling(value, `${name} ${key}`, owner, scheduler);
    if (typeof value !== 'function') return value;
    const call = (...args: unknown[]) => Reflect.apply(value, target, args);
    if (!TRAVELS.has(key)) return call;
    return async (...args: unknown[]) => {
      const on = machine();
      await scheduler.point(owner, `asks ${name}: ${key}`);
      const answer = await outside(async () => call(...args));
      const { kind, next } = answer as { kind?: string; next?: { kind: string } };
      await scheduler.point(owner, `hears of ${name}: ${key} ${kind}`);
      scheduler.count(`${name.replace(/^\S+ ?/, '')} ${key}: ${kind}${next ? `, ${next.kind}` : ''}`.trim());
      return on ? onMachine(on, () => answer) : answer;
    };
  }
}
