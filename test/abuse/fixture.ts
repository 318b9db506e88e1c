import { upsertBlock } from '../../src/core/abuse/store.ts';
import type { BlockKind } from '../../src/core/abuse/rules.ts';
import { emailHash } from '../../src/core/abuse/known-by.ts';
import { payerHash } from '../../src/core/customers/payer-hash.ts';
import { openPool } from '../../src/platform/db/pool.ts';
import { newId } from '../../src/kit/ids.ts';
import { createLog } from '../../src/kit/log.ts';
import type { Tx } from '../../src/kit/sql.ts';
import type { Submission } from '../../src/providers/adapters/contract.ts';
import { setAbuseRules } from '../../src/tenants/teams/store.ts';
import { type Answer, type Api, FakeClock, type Merchant, startApi } from '../setup/api.ts';
import { Registry } from '../setup/providers.ts';

/** A service in live whose only provider accepts every charge and counts them. */
export class AbuseFixture {
  readonly api: Api;
  readonly clock: FakeClock;
  /** Lines of the log. */
  readonly lines: string[];
  readonly #asked: { count: number };
  #numbers = 0;

  private constructor(api: Api, clock: FakeClock, lines: string[], asked: { count: number }) {
    this.api = api;
    this.clock = clock;
    this.lines = lines;
    this.#asked = asked;
  }

  static async open(): Promise<AbuseFixture> {
    const [clock, lines, asked] = [new FakeClock(), [] as string[], { count: 0 }];
    const accepted: Submission = { kind: 'accepted', provider_ref: 'r', next: { kind: 'confirm' }, poll_after_ms: 60_000 };
    const taking = {
      name: 'simulator',
      submit: async () => {
        asked.count += 1;
        return accepted;
      },
      read: async () => ({ kind: 'pending', poll_after_ms: 60_000 }) as const,
    };
    const providers = new Registry({ sandbox: [taking], live: [taking] });
    const log = createLog({ level: 'silent', format: 'json' });
    log.info = (fields: unknown) => {
      lines.push(JSON.stringify(fields));
    };
    return new AbuseFixture(await startApi({ clock, providers, log, workers: false }), clock, lines, asked);
  }

  /** Number of charges that the provider received. */
  get asked(): number {
    return this.#asked.count;
  }

  get db() {
    return this.api.deps.stores.live.db;
  }

  /** A verified team on a plan without limits. @param on whether its fraud rules are on */
  async merchant(on = true): Promise<Merchant> {
    const merchant = await this.api.newMerchant({ verification_level: 4, plan: 'unlimited' });
    if (on) await setAbuseRules(this.api.control, merchant.team.id, true);
    return merchant;
  }

  /** Returns an unused phone number. */
  number(): string {
    this.#numbers += 1;
    return `+2376${String(50_000_000 + this.#numbers)}`;
  }

  async payment({ live }: Merchant, changes: object = {}): Promise<{ id: string; url: string }> {
    const body = { amount: 1_000, currency: 'XAF', phone: '+237650000000', ...changes };
    const answer = await this.api.call('POST', '/payments', { key: live.secret, body });
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
    return { id: answer.body.transaction.id, url: answer.body.authorization_url };
  }

  charge(
    { live }: Merchant,
    id: string,
    phone: string,
    more: object = {},
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const body = { channel: 'cm.mtn', data: { phone }, ...more };
    return this.api.call('POST', `/payments/${id}`, { key: live.secret, body, headers });
  }

  /** A payment that is charged at once. */
  async pay(
    merchant: Merchant,
    phone = this.number(),
    changes: object = {},
    more: object = {},
  ): Promise<Answer & { id: string }> {
    const { id } = await this.payment(merchant, changes);
    return { id, ...(await this.charge(merchant, id, phone, more)) };
  }

  async status({ live }: Merchant, id: string) {
    const { transaction } = (await this.api.call('GET', `/payments/${id}`, { key: live.secret })).body;
    return transaction as { status: string; reason: string | null; attempts: unknown[]; customer: string | null };
  }

  /** Blocks a payer, as the command line does. */
  block({ team }: Merchant, kind: BlockKind, who: string, expires_at: Date | null = null): Promise<string> {
    const { secrets } = this.api.deps;
    const hashed = { payer: payerHash, email: emailHash }[kind as 'payer' | 'email'];
    const value = hashed ? hashed(secrets, team.id, who) : who;
    const id = newId('blk', 'live', this.clock.now());
    return this.asOwner(async (tx) => {
      const row = { team_id: team.id, id, kind, value, note: null, created_at: new Date(this.clock.now()), expires_at };
      return (await upsertBlock(tx, row)).id;
    });
  }

  async asOwner<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const owner = openPool({ url: this.api.databases.live, size: 1, log: createLog({ level: 'silent', format: 'json' }) });
    try {
      return await owner.transaction(work);
    } finally {
      await owner.close();
    }
  }
}
