import type { Actor, Answer, Ground, Random } from './contract.ts';
import { AFTERWARDS, type Afterwards, drawAfterwards } from './after-sale.ts';
import { Browser } from './browser.ts';
import { RIGHT_CODE, WRONG_CODE } from './codes.ts';
import { payAgainOnPage, payOnPage } from './selling.ts';
import { amountOf, type Intent, type Line, numberOn, type Shop } from './shop.ts';

/** What a shop and a payer do about one payment. */
export interface Plan {
  line: Line;
  amount: number;
  bearer: 'merchant' | 'customer';
  number: string;
  account: string | null;
  expires_in: number | null;
  keyed: boolean;
  twice: boolean;
  otp: boolean;
  /** Milliseconds after the beginning of the world. */
  begins_ms: number;
  /** Milliseconds until the payer pays, and until each of the later steps. */
  pays_ms: number;
  /** The payment is cancelled this long after it was made. */
  cancel_ms: number | null;
  /** The payer clicks again this long after the first charge. */
  charge_again_ms: number | null;
  reuse_key: boolean;
  /** The payer pays on the hosted page, in a browser. */
  on_page: boolean;
  abandoned: boolean;
  afterwards: readonly Afterwards[];
}

/** Over how long the orders of a world begin. */
const OPEN_MS = 900_000;
/** Codes that a payer types at most, as long as one is asked for. */
const MAX_CODES = 4;

export function drawPlan(random: Random, shop: Shop, crowded: boolean): Plan {
  const line = random.pick(shop.lines);
  const rich = random.chance(crowded ? 0.8 : 0.4);
  /** Chances of what people do in haste, and how soon. */
  const [often, soon_ms] = crowded ? ([0.3, 300] as const) : ([0.08, 20_000] as const);
  const large = rich && line.large !== null && random.chance(0.08);
  const maybe = (probability: number) => rich && random.chance(probability);
  return {
    line,
    amount: large ? (line.large ?? 0) + random.int(1_000_000) : amountOf(random, line),
    bearer: random.chance(0.2) ? 'customer' : 'merchant',
    number: numberOn(shop, random, line),
    account: maybe(0.3) && shop.accounts.length > 0 ? random.pick(shop.accounts) : null,
    expires_in: maybe(0.4) ? 5 + random.int(60) : null,
    keyed: random.chance(0.85),
    twice: maybe(often),
    otp: random.chance(0.9),
    begins_ms: random.int(OPEN_MS),
    pays_ms: random.chance(0.5) ? 0 : random.int(random.chance(0.05) ? 3_000_000 : 60_000),
    cancel_ms: maybe(crowded ? 0.15 : 0.06) ? random.int(random.chance(0.5) ? 30_000 : soon_ms) : null,
    charge_again_ms: maybe(often) ? random.int(soon_ms) : null,
    reuse_key: maybe(0.03),
    on_page: line.field !== null && maybe(0.2),
    abandoned: random.chance(0.04),
    afterwards: rich ? drawAfterwards(random, crowded) : [],
  };
}

/** One payment as it is seen by those who deal with it. */
export class Order {
  readonly ground: Ground;
  readonly shop: Shop;
  readonly tag: string;
  readonly plan: Plan;
  readonly random: Random;
  id: string | null = null;
  #page = '';
  /** The key with which it is created and charged. */
  readonly #key: string;

  constructor(ground: Ground, shop: Shop, tag: string, random: Random) {
    this.ground = ground;
    this.shop = shop;
    this.tag = tag;
    this.random = random;
    this.plan = drawPlan(random, shop, ground.crowded);
    // A public key names no account.
    const isPublic = this.plan.account === null && random.fork('key').chance(0.1);
    this.#key = isPublic ? shop.public_key : shop.key;
  }

  intent(kind: Intent['kind'], suffix: string, keyed = this.plan.keyed): Intent & { number: string | null } {
    const number = this.plan.line.field === null ? null : this.plan.number;
    return { kind, tag: `${this.tag}${suffix}`, keyed, sent: 0, ids: new Set(), number };
  }

  get email(): string {
    return `${this.tag}@payer.example`;
  }

  /** Everything by which the payer of this order could be recognised. */
  get canaries(): string[] {
    const { line, number } = this.plan;
    const phones = line.field === 'phone' ? [number.slice(1)] : [];
    return [this.email, `Awa ${this.tag} Mbarga`, ...phones];
  }

  get operations(): string[] {
    const { plan } = this;
    return [
      ...(plan.twice ? ['click twice'] : []),
      ...(plan.cancel_ms === null ? [] : ['cancel']),
      ...(plan.charge_again_ms === null ? [] : ['charge again']),
      ...(plan.abandoned ? [] : ['charge']),
      ...plan.afterwards.map(({ name }) => name),
    ];
  }

  async run(without: ReadonlySet<string>): Promise<void> {
    const { plan, shop } = this;
    await shop.around.sleep(plan.begins_ms);
    await this.#create(without);
    if (this.id === null) return;
    const branches: Promise<void>[] = [];
    if (!plan.abandoned && !without.has('charge')) branches.push(this.#pay());
    if (plan.charge_again_ms !== null && !without.has('charge again')) branches.push(this.#payAgain(plan.charge_again_ms));
    if (plan.cancel_ms !== null && !without.has('cancel')) branches.push(this.#cancel(plan.cancel_ms));
    await Promise.all(branches);
    const wanted = plan.afterwards.filter(({ name }) => !without.has(name));
    await Promise.all(wanted.filter(({ last }) => !last).map((step) => this.#afterwards(step)));
    for (const step of wanted.filter(({ last }) => last)) await this.#afterwards(step);
  }

  async #create(without: ReadonlySet<string>): Promise<void> {
    const { plan, shop } = this;
    const body = this.#body();
    const headers = plan.account === null ? {} : { 'X-Sync': plan.account };
    const intent = this.intent('payment', '');
    const answer = await shop.wish(intent, '/payments', body, {
      key: this.#key,
      headers,
      twice: plan.twice && !without.has('click twice'),
    });
    if (answer?.status !== 201) {
      if (answer && answer.status < 500)
        shop.complaints.push(`${this.tag} could not be created: ${answer.status} ${JSON.stringify(answer.body)}`);
      return;
    }
    if (this.#key === shop.public_key) shop.around.count('a payment made with a public key');
    this.id = answer.body.transaction.id;
    this.#page = answer.body.authorization_url;
    if (!plan.reuse_key || !plan.keyed) return;
    const other = await shop.insist('POST', '/payments', {
      body: { ...body, amount: plan.amount + 1 },
      ...{ headers, key: this.#key },
      idempotency_key: this.tag,
    });
    if (other && other.status !== 422) shop.complaints.push(`${this.tag}: another payload with a used key: ${other.status}`);
  }

  #body(): object {
    const { plan, tag, random } = this;
    const who = random.pick(['email', 'phone', 'both', 'customer'] as const);
    const email = this.email;
    const phone =
      plan.line.field === 'phone' ? plan.number : `+2376${50 + random.int(5)}${String(random.int(1_000_000)).padStart(6, '0')}`;
    const payer = {
      email: { email },
      phone: { phone },
      both: { email, phone, name: `Awa ${tag} Mbarga` },
      customer: { customer: { email, phone } },
    }[who];
    const { amount, bearer, expires_in } = plan;
    return {
      ...{ amount, currency: plan.line.currency, reference: tag, bearer, ...payer },
      ...(expires_in === null ? {} : { expires: { in: expires_in } }),
      ...(random.chance(0.1) ? { metadata: { order: tag }, items: [{ name: 'Pagne', quantity: 2 }] } : {}),
    };
  }

  /** The payer submits the charge; tries again after a 502, and what had no answer with the same key. */
  async #pay(): Promise<void> {
    const { plan, shop, random } = this;
    await shop.around.sleep(plan.pays_ms);
    if (plan.on_page) {
      const browser = new Browser(shop.around);
      await payOnPage(browser, plan.line, this.#page, plan.number, random.chance(0.2) ? 2 : 1);
      await payAgainOnPage(shop, browser, plan.line, this.#page, plan.number);
      await this.#follow();
      return;
    }
    const keyed = random.chance(0.5);
    for (let tries = 0; tries < 6; tries++) {
      const answer = await this.#charge(keyed ? `${this.tag}-c` : null);
      if (answer !== 'lost' && answer.status !== 502 && answer.status < 500) {
        await this.#react(answer);
        return;
      }
      await shop.around.sleep(2_000 + random.int(20_000));
    }
  }

  /** What follows is about the payment that tried this one again, if there is one. */
  async #follow(): Promise<void> {
    for (let tries = 0; tries < 5; tries++) {
      const next: string | null | undefined = (await this.shop.get(`/payments/${this.id}`))?.transaction.retried_by;
      if (!next) return;
      this.id = next;
    }
  }

  #charge(key: string | null, more: object = {}): Promise<Answer | 'lost'> {
    const { line, number } = this.plan;
    const body = { channel: line.channel, data: { ...(line.field === null ? {} : { [line.field]: number }), ...more } };
    return this.shop.send('POST', `/payments/${this.id}`, {
      key: this.#key,
      body,
      ...(key === null ? {} : { idempotency_key: key }),
    });
  }

  /** Types the one-time code, if one is asked for: some wrongly, some in two windows, and again while it is still asked for. */
  async #react(answer: Answer): Promise<void> {
    if (answer.body.action?.kind !== 'otp' || !this.plan.otp) return;
    const { shop } = this;
    // Drawn apart, so that a code changes nothing else.
    const random = this.random.fork('codes');
    for (let nth = 0; nth < MAX_CODES; nth++) {
      await shop.around.sleep(1_000 + random.int(nth === 0 && random.chance(0.1) ? 580_000 : 60_000));
      const windows = random.chance(this.ground.crowded ? 0.4 : 0.15) ? 2 : 1;
      const typed = await Promise.all(
        Array.from({ length: windows }, (_, n) => this.#type(random.fork(`${nth} ${n}`), `${nth}${n}`)),
      );
      if (!typed.some((one) => one === null || one.body.action?.kind === 'otp')) return;
    }
  }

  /** Types one code, and sends it again with its key until it is answered. @returns null when it gives up */
  async #type(random: Random, suffix: string): Promise<Answer | null> {
    const otp = random.chance(0.2) ? WRONG_CODE : RIGHT_CODE;
    const key = random.chance(0.5) ? `${this.tag}-o${suffix}` : null;
    for (let tries = 0; tries < (key === null ? 1 : 3); tries++) {
      const typed = await this.#charge(key, { otp });
      if (typed !== 'lost' && typed.status < 500) return typed;
      await this.shop.around.sleep(1_000 + random.int(10_000));
    }
    return null;
  }

  async #payAgain(after_ms: number): Promise<void> {
    await this.shop.around.sleep(this.plan.pays_ms + after_ms);
    await this.#charge(null);
  }

  async #cancel(after_ms: number): Promise<void> {
    await this.shop.around.sleep(after_ms);
    await this.shop.insist('DELETE', `/payments/${this.id}`);
  }

  async #afterwards({ name, after_ms }: Afterwards): Promise<void> {
    await this.shop.around.sleep(after_ms);
    await AFTERWARDS[name](this);
  }

  /** Waits until the payment has succeeded, for a while. */
  async paid(): Promise<boolean> {
    for (const wait_ms of [0, 30_000, 120_000, 900_000]) {
      await this.shop.around.sleep(wait_ms);
      const status = (await this.shop.get(`/payments/${this.id}`))?.transaction.status;
      if (['succeeded', 'partially_refunded', 'refunded'].includes(status)) return true;
      if (['failed', 'cancelled', 'expired'].includes(status)) return false;
    }
    return false;
  }
}

export function orderActor(order: Order): Actor {
  const { plan, operations, tag } = order;
  const name = `payment ${tag}: ${plan.amount} ${plan.line.currency} on ${plan.line.channel}${operations.length ? `, ${operations.join(', ')}` : ''}`;
  return { name, payments: 1, operations, run: (without) => order.run(without) };
}
