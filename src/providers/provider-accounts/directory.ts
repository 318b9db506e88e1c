import type { Secrets } from '../../kit/crypto.ts';
import { type Environment, ENVIRONMENTS } from '../../kit/environment.ts';
import type { Log } from '../../kit/log.ts';
import { Remembered } from '../../kit/remembered.ts';
import type { Queryable } from '../../kit/sql.ts';
import { connectorOf } from '../adapters/catalogue.ts';
import type { Tools } from '../adapters/connector.ts';
import type { Provider } from '../adapters/contract.ts';
import type { AccountRow, Costs } from './schema.ts';
import { credentialsPlace, findSealedAccount, type SealedAccountRow, sealedAccounts } from './store.ts';

/** A provider account as used by routing. */
export interface Listed {
  provider: Provider;
  /** The account's name, used in routing rules. */
  name: string;
  costs: Costs | null;
}

/** The account identified by the address of a callback. */
export interface Addressed {
  environment: Environment;
  team_id: bigint;
  provider: Provider;
}

/** Access to the providers of all teams. */
export interface Providers {
  /** Returns the providers that may accept new operations, in the order in which they were added. */
  of(environment: Environment, team_id: bigint): Promise<Listed[]>;
  /** Returns the provider account of an existing attempt, payout or refund, also when it accepts no new operations. */
  byAccount(environment: Environment, team_id: bigint, account_id: string): Promise<Provider | undefined>;
  /** Returns whether an active account of the team cannot currently be used by this process. When omitted, never. */
  anyUnusable?(environment: Environment, team_id: bigint): Promise<boolean>;
  /**
   * Returns the account with the id in a callback's address, or undefined if there is none. A change of the account applies
   * {@link ACCOUNTS_CACHE_MS} later at the latest.
   */
  addressed(account_id: string): Promise<Addressed | undefined>;
}

/** Wraps a provider. The owner of its account is null for a provider that all teams share. */
type Observe = (provider: Provider, owner: { environment: Environment; team_id: bigint } | null) => Provider;

/** Lifetime of the cached accounts. A disabled account accepts no new operations after this time. */
export const ACCOUNTS_CACHE_MS = 800;
const MAX_TEAMS = 10_000;
const MAX_ADDRESSED = 10_000;

interface Connected {
  /** `updated_at` of the row it was created from, in milliseconds since the epoch. */
  version: number;
  provider: Provider;
}

/**
 * Creates providers from the accounts in the control database. A provider is kept while its row is unchanged, so that
 * the tokens and configurations it has fetched are reused.
 */
export class ProviderDirectory implements Providers {
  readonly #control: Queryable;
  readonly #secrets: Secrets;
  readonly #log: Log;
  readonly #tools: Tools;
  readonly #builtIn: Partial<Record<Environment, Provider>>;
  readonly #observe: Observe;
  readonly #lists: Remembered<SealedAccountRow[]>;
  readonly #addressed: Remembered<SealedAccountRow | undefined>;
  readonly #connected = new Map<string, Connected>();

  /** @param parts.observe wraps each provider once, to measure its calls */
  constructor(parts: {
    control: Queryable;
    secrets: Secrets;
    tools: Tools;
    builtIn: Partial<Record<Environment, Provider>>;
    observe?: Observe;
  }) {
    const { control, secrets, tools, builtIn, observe = (provider) => provider } = parts;
    this.#control = control;
    this.#lists = new Remembered(tools.clock, ACCOUNTS_CACHE_MS, MAX_TEAMS);
    this.#addressed = new Remembered(tools.clock, ACCOUNTS_CACHE_MS, MAX_ADDRESSED);
    this.#log = tools.log;
    this.#secrets = secrets;
    this.#tools = tools;
    this.#observe = observe;
    this.#builtIn = Object.fromEntries(
      ENVIRONMENTS.flatMap((environment) => {
        const provider = builtIn[environment];
        return provider ? [[environment, observe(provider, null)]] : [];
      }),
    );
  }

  async of(environment: Environment, team_id: bigint): Promise<Listed[]> {
    const rows = await this.#rows(environment, team_id);
    const listed = rows.filter((row) => row.active).flatMap((row) => this.#listed(row));
    const builtIn = this.#builtIn[environment];
    return builtIn ? [{ provider: builtIn, name: builtIn.account_id, costs: null }, ...listed] : listed;
  }

  async byAccount(environment: Environment, team_id: bigint, account_id: string): Promise<Provider | undefined> {
    const builtIn = this.#builtIn[environment];
    if (builtIn?.account_id === account_id) return builtIn;
    const row = (await this.#rows(environment, team_id)).find(({ id }) => id === account_id);
    if (row) return this.#listed(row)[0]?.provider;
    // Another process may have used an account that was added after the list was cached.
    const fresh = await this.addressed(account_id);
    return fresh?.environment === environment && fresh.team_id === team_id ? fresh.provider : undefined;
  }

  async anyUnusable(environment: Environment, team_id: bigint): Promise<boolean> {
    return (await this.#rows(environment, team_id)).some((row) => row.active && this.#connect(row) === null);
  }

  async addressed(account_id: string): Promise<Addressed | undefined> {
    // Unknown ids are not cached, because callers could fill the memory with them, and a new account has to be found at once.
    const row = await this.#addressed.get(account_id, () => findSealedAccount(this.#control, account_id), Boolean);
    const provider = row && this.#listed(row)[0]?.provider;
    return row && provider && { environment: row.environment, team_id: row.team_id, provider };
  }

  #rows(environment: Environment, team_id: bigint): Promise<SealedAccountRow[]> {
    return this.#lists.get(`${environment} ${team_id}`, () => sealedAccounts(this.#control, team_id, environment));
  }

  /**
   * Returns an empty list, and logs the cause, when this version does not support the kind of provider or the
   * credentials cannot be decrypted.
   */
  #listed(row: SealedAccountRow): Listed[] {
    const provider = this.#connect(row);
    return provider ? [{ provider, name: row.name, costs: row.costs }] : [];
  }

  #connect(row: SealedAccountRow): Provider | null {
    const version = row.updated_at.getTime();
    const known = this.#connected.get(row.id);
    if (known?.version === version) return known.provider;
    const provider = this.#make(row);
    if (provider) this.#connected.set(row.id, { version, provider });
    return provider;
  }

  #make(row: SealedAccountRow): Provider | null {
    const connector = connectorOf(row.provider);
    if (!connector) {
      this.#reportUnusable(row, 'this version has no such kind of provider');
      return null;
    }
    try {
      const credentials = JSON.parse(this.#secrets.open(row.credentials_sealed, credentialsPlace(row))) as Record<string, string>;
      const provider = connector.connect({ id: row.id, environment: row.environment, credentials }, this.#tools);
      return this.#observe(provider, { environment: row.environment, team_id: row.team_id });
    } catch {
      this.#reportUnusable(
        row,
        'its credentials cannot be opened with this SECRETS_KEY: replace them with "pirogue providers set"',
      );
      return null;
    }
  }

  #reportUnusable({ id, provider, name }: AccountRow, why: string): void {
    this.#log.error({ account: id, provider, name }, `a provider account cannot be used: ${why}`);
  }
}
