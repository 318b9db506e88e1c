import type { Call } from '../call.ts';
import type { ListBanksQuery, ListChannelsQuery } from '../generated/operations.ts';
import type { Bank, Channel, Country, CurrencyEntry, Identity, ResolveIdentityBody } from '../generated/types.ts';
import type { CallOptions } from '../options.ts';

/** Channels: the operators, banks and card schemes that payments and transfers use. */
export class Channels {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /** Returns all matching channels on one page. */
  async list(query: ListChannelsQuery = {}, options?: CallOptions): Promise<Channel[]> {
    return (await this.#call('listChannels', { query }, options)).items;
  }

  /** Returns one channel, such as `cm.mtn`. */
  async retrieve(id: string, options?: CallOptions): Promise<Channel> {
    return (await this.#call('retrieveChannel', { path: { id } }, options)).channel;
  }
}

/** Countries that the service supports. */
export class Countries {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  async list(options?: CallOptions): Promise<Country[]> {
    return (await this.#call('listCountries', { query: {} }, options)).items;
  }
}

/** Currencies that the service supports. */
export class Currencies {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  async list(options?: CallOptions): Promise<CurrencyEntry[]> {
    return (await this.#call('listCurrencies', { query: {} }, options)).items;
  }
}

/** Banks that transfers can be sent to. */
export class Banks {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  async list(query: ListBanksQuery = {}, options?: CallOptions): Promise<Bank[]> {
    return (await this.#call('listBanks', { query }, options)).items;
  }
}

/** Account-holder lookup. Sandbox only for now: live answers 501. */
export class Identities {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  async resolve(body: ResolveIdentityBody, options?: CallOptions): Promise<Identity> {
    return (await this.#call('resolveIdentity', { body }, options)).identity;
  }
}
