import type { Call } from '../call.ts';
import type { ListBanksQuery, ListChannelsQuery } from '../generated/operations.ts';
import type { Bank, Channel, Country, CurrencyEntry, Identity, ResolveIdentityBody } from '../generated/types.ts';
import type { CallOptions } from '../options.ts';

/** Channels: through which operators and banks money moves. */
export class Channels {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /** All that fit, on one page. */
  async list(query: ListChannelsQuery = {}, options?: CallOptions): Promise<Channel[]> {
    return (await this.#call('listChannels', { query }, options)).items;
  }

  /** One channel, such as `cm.mtn`. */
  async retrieve(id: string, options?: CallOptions): Promise<Channel> {
    return (await this.#call('retrieveChannel', { path: { id } }, options)).channel;
  }
}

/** Countries the service knows. */
export class Countries {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  async list(options?: CallOptions): Promise<Country[]> {
    return (await this.#call('listCountries', { query: {} }, options)).items;
  }
}

/** Currencies the service takes. */
export class Currencies {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  async list(options?: CallOptions): Promise<CurrencyEntry[]> {
    return (await this.#call('listCurrencies', { query: {} }, options)).items;
  }
}

/** Banks that can be paid out to. */
export class Banks {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  async list(query: ListBanksQuery = {}, options?: CallOptions): Promise<Bank[]> {
    return (await this.#call('listBanks', { query }, options)).items;
  }
}

/** Who holds a number or account. Sandbox only for now: in live it is 501. */
export class Identities {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  async resolve(body: ResolveIdentityBody, options?: CallOptions): Promise<Identity> {
    return (await this.#call('resolveIdentity', { body }, options)).identity;
  }
}
