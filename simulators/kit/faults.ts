import { pick, randomOf, type Weights } from './random.ts';

/** Faults where nothing is created and the response is lost or useless. */
export const UNCREATED = ['reset_uncreated', 'error_uncreated', 'slow_uncreated', 'page_uncreated', 'garbled_uncreated'] as const;
/**
 * Faults where the operation is created and the response is lost or useless. `late_created`: created only after the
 * caller's deadline.
 */
export const CREATED = [
  'reset_created',
  'error_created',
  'slow_created',
  'late_created',
  'page_created',
  'garbled_created',
  'cut_created',
] as const;
/** Behaviour of the provider itself: clear errors and delays. */
export const PROVIDER_FAULTS = ['throttled', 'token_expired', 'closed', 'float_exhausted', 'lagging', 'stuck'] as const;

export const FAULTS = [...UNCREATED, ...CREATED, ...PROVIDER_FAULTS] as const;
export type Fault = 'none' | (typeof FAULTS)[number];

/**
 * Ways to send a callback. `early`: before the response to the creation. `other_amount`: a wrong amount with a valid
 * signature.
 */
export const MANNERS = ['once', 'none', 'repeated', 'out_of_order', 'early', 'wrong_signature', 'other_amount'] as const;
export type Manner = (typeof MANNERS)[number];

/** Kinds of request. Faults are drawn from a separate random sequence for each kind. */
export type RequestKind = 'create' | 'read' | 'other';

export const PROFILES = ['calm', 'stormy', 'down'] as const;
export type Profile = (typeof PROFILES)[number];

/**
 * Probabilities in percent. `other_amount` is never drawn: it is an attack or a defect, and occurs only where a script
 * requests it.
 */
const PROBABILITIES: Record<
  Profile,
  { create: Weights<Fault>; read: Weights<Fault>; other: Weights<Fault>; callback: Weights<Manner> }
> = {
  calm: { create: {}, read: {}, other: {}, callback: {} },
  stormy: {
    create: {
      reset_uncreated: 3,
      reset_created: 3,
      error_uncreated: 3,
      error_created: 3,
      slow_uncreated: 1,
      slow_created: 1,
      late_created: 1,
      page_uncreated: 1,
      page_created: 1,
      garbled_uncreated: 1,
      garbled_created: 1,
      cut_created: 2,
      throttled: 3,
      token_expired: 2,
      closed: 2,
      float_exhausted: 1,
      lagging: 4,
      stuck: 3,
    },
    read: { reset_uncreated: 4, error_uncreated: 4, page_uncreated: 2, garbled_uncreated: 2, cut_created: 2, throttled: 2 },
    other: { error_uncreated: 2, reset_uncreated: 2 },
    callback: { none: 15, repeated: 10, out_of_order: 8, early: 4, wrong_signature: 3 },
  },
  down: {
    create: { reset_uncreated: 30, error_uncreated: 50, throttled: 10, closed: 10 },
    read: { reset_uncreated: 40, error_uncreated: 60 },
    other: { reset_uncreated: 50, error_uncreated: 50 },
    callback: { none: 100 },
  },
};

/** A fault for one key, number or reference (`name`), for one kind of request, or for the next request. */
export interface Script {
  fault: Fault;
  name?: string;
  /** Defaults to `create`. */
  doing?: RequestKind;
  /** Number of times; defaults to one. */
  times?: number;
}

/**
 * Selects the faults: from scripts where there is one, else drawn by the profile's weights. The sequence is
 * reproducible by seed.
 */
export class Faults {
  readonly seed: number;
  #profile: Profile;
  readonly #draws: Record<RequestKind | 'callback', () => number>;
  #scripts: Required<Script>[] = [];
  #manners = new Map<string, Manner>();
  readonly #counts = new Map<string, number>();

  constructor(options: { seed?: number; profile?: Profile } = {}) {
    this.seed = options.seed ?? 1;
    this.#profile = options.profile ?? 'calm';
    this.#draws = {
      create: randomOf(this.seed),
      read: randomOf(this.seed + 1),
      other: randomOf(this.seed + 2),
      callback: randomOf(this.seed + 3),
    };
  }

  get profile(): Profile {
    return this.#profile;
  }

  setProfile(profile: Profile): void {
    this.#profile = profile;
  }

  script({ fault, name = '', doing = 'create', times = 1 }: Script): void {
    this.#scripts.push({ fault, name, doing, times });
  }

  /** Sets how callbacks are sent: for one key, number or reference, or (without a name) for all. */
  announce(manner: Manner, name = ''): void {
    this.#manners.set(name, manner);
  }

  /** Returns the fault of a request that contains these keys and numbers. */
  next(doing: RequestKind, names: readonly string[]): Fault {
    const drawn = pick<Fault>(PROBABILITIES[this.#profile][doing], 'none', this.#draws[doing]());
    const fault = this.#scripted(doing, names) ?? drawn;
    if (fault !== 'none') this.#count(`${doing} ${fault}`);
    return fault;
  }

  nextManner(names: readonly string[]): Manner {
    const drawn = pick<Manner>(PROBABILITIES[this.#profile].callback, 'once', this.#draws.callback());
    const scripted = [...names, ''].map((name) => this.#manners.get(name)).find((manner) => manner !== undefined);
    const manner = scripted ?? drawn;
    if (manner !== 'once') this.#count(`callback ${manner}`);
    return manner;
  }

  /** Returns the scripted faults that have not occurred. A test that depends on one of them proves nothing. */
  unmet(): readonly Script[] {
    return this.#scripts;
  }

  /** Ends all faults. */
  recover(): void {
    this.#profile = 'calm';
    this.#scripts = [];
    this.#manners.clear();
  }

  /** Returns the number of faults so far, by kind: `create reset_created`, `callback none`. */
  counts(): Record<string, number> {
    return Object.fromEntries(this.#counts);
  }

  #scripted(doing: RequestKind, names: readonly string[]): Fault | undefined {
    const script = this.#scripts.find((one) => one.doing === doing && (one.name === '' || names.includes(one.name)));
    if (!script) return undefined;
    script.times--;
    this.#scripts = this.#scripts.filter(({ times }) => times > 0);
    return script.fault;
  }

  #count(what: string): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1);
  }
}
