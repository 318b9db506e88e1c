import { newKey, storeKey } from '../../src/tenants/keys/service.ts';
import { createTeam } from '../../src/tenants/teams/service.ts';
import { updateTeam } from '../../src/tenants/teams/store.ts';
import type { Provider } from '../../src/providers/adapters/contract.ts';
import type { Listed, Providers } from '../../src/providers/provider-accounts/directory.ts';
import type { Environment } from '../../src/kit/environment.ts';
import { Bank } from './bank.ts';
import type { Actor, Ground, Population, Random } from './contract.ts';
import { Order, orderActor } from './orders.ts';
import { payoutActor } from './payouts.ts';
import { invoiceActor, linkActor } from './selling.ts';
import { audit } from './audit.ts';
import { attend } from './person.ts';
import type { Flow } from './book.ts';
import type { Traits } from './handler.ts';
import { simulatedProvider } from './provider.ts';
import { readBooked } from './snapshot.ts';
import { breaches, tooEarly } from './standing.ts';
import { Receiver } from './receiver.ts';
import { LINES, Shop } from './shop.ts';

/** Settings under which a world runs, as environment variables. */
export function settingsOf(random: Random): Record<string, string> {
  return {
    RATE_LIMITS: 'off',
    RECEIPT_MAIL: random.chance(0.2) ? 'on' : 'off',
    HOLD_MOBILE_MONEY: random.pick(['0s', '0s', '10m', '24h']),
    HOLD_BANK: '20m',
    HOLD_CARD: '1h',
    CREDIT_CAP_LIVE: random.pick(['0', '5000', '1000000']),
  };
}

/** Simulated providers by team. */
class TeamProviders implements Providers {
  readonly #byTeam = new Map<bigint, Provider[]>();
  readonly #byAccount = new Map<string, { team_id: bigint; provider: Provider }>();

  add(team_id: bigint, providers: Provider[]): void {
    this.#byTeam.set(team_id, providers);
    for (const provider of providers) this.#byAccount.set(provider.account_id, { team_id, provider });
  }

  async of(_: Environment, team_id: bigint): Promise<Listed[]> {
    return (this.#byTeam.get(team_id) ?? []).map((provider) => ({ provider, name: provider.name, costs: null }));
  }

  async byAccount(_: Environment, team_id: bigint, account_id: string): Promise<Provider | undefined> {
    const found = this.#byAccount.get(account_id);
    return found?.team_id === team_id ? found.provider : undefined;
  }

  async addressed(account_id: string) {
    const found = this.#byAccount.get(account_id);
    return found && { environment: 'live' as const, ...found };
  }
}

/** Everything in a world that is not the service. */
export interface World {
  ground: Ground;
  bank: Bank;
  receiver: Receiver;
  shops: Shop[];
  traits: Traits[];
  /** Invariants that were violated while actors were active. */
  breaches: Set<string>;
  /** Number of looks in which a person saw an item open, by id, part and key at the provider. */
  looks: Map<string, number>;
  /** Ids of what a person ended as failed. */
  endedByHand: Set<string>;
}

export async function populate(ground: Ground): Promise<Population> {
  const { surroundings: around } = ground;
  const random = around.random.fork('population');
  const storm = random.pick([0, 0.5, 1, 1, 2, 4]);
  const bank = new Bank(around, { storm }, ground.apiUrl);
  const receiver = new Receiver(around, storm);
  const providers = new TeamProviders();
  const world: World = {
    ...{ ground, bank, receiver, shops: [], traits: [] },
    ...{ breaches: new Set(), looks: new Map(), endedByHand: new Set() },
  };
  for (let i = 0; i < 1 + random.int(2); i++) await openShop(world, providers, random.fork(`shop ${i}`), i);
  const actors = actorsOf(world, random);
  // Those that run: some may be left out of the world. They begin before the postman and the auditor, who stay until these have ended.
  const open = { count: 0 };
  const postman: Actor = { name: 'callbacks of the providers', payments: 0, operations: [], run: () => deliver(world, open) };
  const auditor: Actor = { name: 'an auditor', payments: 0, operations: [], run: () => watch(world, open) };
  return {
    providers,
    actors: [...actors.map((actor) => counted(actor, open)), postman, auditor],
    receive: (delivery) => receiver.receive(delivery),
    settle: () => settle(world),
    audit: () => audit(world),
  };
}

/** A team with a key, provider accounts, and endpoints. */
async function openShop(world: World, providers: TeamProviders, random: Random, i: number): Promise<void> {
  const { control, surroundings: around } = world.ground;
  const id = 2n ** 47n + BigInt(random.int(2 ** 40)) * 8n + BigInt(i);
  const team = await createTeam(control, { id, name: `Shop ${i}`, email: `owner${i}@shop.example`, plan: 'unlimited' });
  // Half of the teams have limits, which are counted and never reached: a rejection by a limit would hide what the world is about.
  // Most let payers try a failed payment again on its page.
  const hosted_retry = random.fork('retry').chance(0.8);
  await updateTeam(control, { ...team, verification_level: random.pick([3, 4]), hosted_retry });
  const [key, public_key] = [await storedKey(world, id, 'secret'), await storedKey(world, id, 'public')];
  const lines = random.chance(0.5) ? LINES.filter(() => random.chance(0.4)) : LINES.slice(0, 1);
  const shop = new Shop(around, {
    ...{ id, key, public_key },
    lines: lines.some(({ field }) => field) ? lines : LINES.slice(0, 2),
    name: `shop ${i}`,
  });
  const traits = Array.from({ length: 1 + random.int(3) }, (_, n) => traitsOf(random, shop, `p${i}${n}`));
  const isOnly = traits.filter(({ payouts }) => payouts).length === 1;
  for (const one of traits) one.denies = deniesOf(one, isOnly);
  providers.add(
    id,
    traits.map((one) => simulatedProvider(world.bank, one)),
  );
  world.traits.push(...traits);
  world.shops.push(shop);
  for (let n = 0; n < 1 + random.int(2); n++) await register(world, shop, `https://hooks${n}.shop${i}.example/pirogue`, n);
  for (const split of [
    { type: 'percentage', value: 12.5 },
    { type: 'fixed', value: 1 },
  ].slice(0, random.int(3))) {
    const made = await shop.insist('POST', '/accounts', {
      body: { name: 'Boutique', email: `b${i}@shop.example`, phone: '+237677000000', split },
    });
    if (made?.status === 201) shop.accounts.push(made.body.account.id);
  }
}

async function storedKey({ ground }: World, team_id: bigint, kind: 'secret' | 'public'): Promise<string> {
  const key = newKey(kind, 'live');
  const about = { team_id, environment: 'live' as const, kind, scopes: [], allowed_ips: [], expires_at: null };
  await storeKey(ground.control, key, about, new Date(ground.surroundings.now()));
  return key;
}

/**
 * Returns what an account may deny. Nobody could get a payout back that a second account has made meanwhile, or that the same account makes
 * again.
 * @param isOnly whether no other account pays out
 */
function deniesOf({ idempotency }: Traits, isOnly: boolean): Flow[] {
  const again: Flow[] = isOnly ? ['refund', 'payout'] : ['refund'];
  return ['collect', ...(idempotency === 'none' ? [] : again)];
}

function traitsOf(random: Random, shop: Shop, name: string): Traits {
  const grace_ms = random.pick([120_000, 300_000, 600_000]);
  return {
    account_id: `pa_${Array.from({ length: 26 }, () => random.pick([...'0123456789abcdefghjkmnpqrstvwxyz'])).join('')}`,
    ...{ name, grace_ms },
    idempotency: random.pick(['replays', 'conflicts', 'none']),
    readable_by: random.chance(0.85) ? 'ours' : 'theirs',
    signs: random.chance(0.5),
    refunds: random.pick(['partial', 'partial', 'partial', 'full', null]),
    payouts: random.chance(0.8),
    cancels: random.chance(0.6),
    prepares: random.chance(0.3),
    denies: [],
    channels: shop.lines.map(({ channel, currency }) => ({ channel, currency })),
  };
}

async function register({ receiver }: World, shop: Shop, url: string, n: number): Promise<void> {
  const events = n === 0 ? ['*'] : ['payment.*', 'refund.succeeded'];
  const made = await shop.insist('POST', '/webhooks', { body: { url, events }, idempotency_key: url });
  if (made?.status !== 201) throw new Error(`an endpoint could not be registered: ${JSON.stringify(made)}`);
  const { id } = made.body.webhook;
  // A secret is shown once. A shop that lost the response rotates it.
  const secret: string = made.body.webhook.secret ?? (await rotate(shop, id));
  receiver.endpoints.push({ url, id, secret, events, team_id: shop.team_id, taken: new Map(), changed: [] });
}

async function rotate(shop: Shop, id: string): Promise<string> {
  const answer = await shop.insist('POST', `/webhooks/${id}/rotate-secret`);
  if (answer?.status !== 200) throw new Error(`a secret could not be rotated: ${JSON.stringify(answer)}`);
  return answer.body.webhook.secret;
}

function actorsOf({ ground, shops }: World, random: Random): Actor[] {
  const actors: Actor[] = [];
  for (let n = 0; n < ground.payments; n++) {
    const tag = `t${n}`;
    const own = random.fork(tag);
    actors.push(orderActor(new Order(ground, own.pick(shops), tag, own)));
  }
  for (const [i, shop] of shops.entries()) {
    for (let n = 0; n < ground.payments / 6; n++) actors.push(payoutActor(shop, `s${i}p${n}`));
    if (!shop.lines.some(({ field }) => field === 'phone')) continue;
    for (let n = 0; n < ground.payments / 60; n++) actors.push(linkActor(shop, `s${i}l${n}`), invoiceActor(shop, `s${i}i${n}`));
  }
  return actors;
}

function counted(actor: Actor, open: { count: number }): Actor {
  const run = async (without: ReadonlySet<string>) => {
    open.count += 1;
    try {
      await actor.run(without);
    } finally {
      open.count -= 1;
    }
  };
  return { ...actor, run };
}

/** Sends callbacks while there is anybody who could cause one. */
async function deliver({ bank, ground }: World, open: { count: number }): Promise<void> {
  while (open.count > 0) {
    await ground.surroundings.sleep(bank.next(5_000));
    await bank.deliver();
  }
}

/** Audits the books every few minutes until the last actor ends. */
async function watch({ bank, ground, breaches: found }: World, open: { count: number }): Promise<void> {
  const { live, surroundings: around } = ground;
  const random = around.random.fork('auditor');
  while (open.count > 0 && found.size === 0) {
    await around.sleep(random.int(10 * MINUTE));
    const booked = await readBooked(live);
    for (const wrong of [...tooEarly(booked, bank.book, bank.now()), ...(await breaches(live))]) found.add(wrong);
  }
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** How long a person lets time pass between two looks at what is still open. After a day every payment window is over. */
const LOOKS_MS = [
  ...[MINUTE, MINUTE, MINUTE, HOUR, HOUR, HOUR, 25 * HOUR, HOUR, HOUR, HOUR, 25 * HOUR, 25 * HOUR, 25 * HOUR],
  ...Array<number>(12).fill(6 * HOUR),
];

async function settle(world: World): Promise<void> {
  const { bank, receiver, ground } = world;
  bank.settle();
  receiver.settled = true;
  for (const [round, wait_ms] of LOOKS_MS.entries()) {
    await bank.deliver();
    await ground.surroundings.sleep(wait_ms);
    if (!(await attend(world, round)) && bank.pending === 0) return;
  }
}
