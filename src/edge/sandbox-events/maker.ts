import { setTimeout as sleep } from 'node:timers/promises';
import { NotTriggered, type Sandbox, type SandboxCall } from './sandbox.ts';

const DEADLINE_MS = 60_000;
/** First wait between two polls. Each wait is half as long again, so that polling uses little of the key's rate limit. */
const FIRST_LOOK_MS = 150;

/** Test phone numbers by outcome (docs/sandbox.md). */
export const PHONES = {
  succeeds: '650000000',
  fails: '650000001',
  cancelled: '650000004',
  not_refundable: '650000009',
} as const;

const CHANNEL = 'cm.mtn';
/** Statuses of a paid payment, also when its refund was made before. */
const PAID = ['succeeded', 'partially_refunded', 'refunded'];
const PAYER = { name: 'Awa Ndiaye', email: 'awa@payer.example' };

/** Creates resources in the sandbox, as a merchant's server does. */
export class Maker {
  readonly sandbox: Sandbox;

  constructor(sandbox: Sandbox) {
    this.sandbox = sandbox;
  }

  // biome-ignore lint/suspicious/noExplicitAny: the shape is what the operation's schema promises
  call(operation: string, sent?: SandboxCall): Promise<any> {
    return this.sandbox.call(operation, sent);
  }

  async payment(fields: object = {}): Promise<string> {
    const body = { amount: 5_000, currency: 'XAF', ...PAYER, description: 'Triggered', ...fields };
    return (await this.call('POST /payments', { body })).transaction.id;
  }

  /** Creates a payment and charges it. A test number that is declined at once is not an error, nor is its payment charged again (400). */
  async charged(phone: string = PHONES.succeeds, fields: object = {}): Promise<string> {
    const id = await this.payment(fields);
    try {
      await this.call('POST /payments/:id', { params: { id }, body: { channel: CHANNEL, data: { phone } } });
    } catch (error) {
      const { status } = error as { status?: unknown };
      if (status !== 402 && status !== 400) throw error;
    }
    return id;
  }

  async paid(phone: string = PHONES.succeeds): Promise<string> {
    const id = await this.charged(phone);
    await until(`${id} did not succeed`, async () => {
      const { transaction } = await this.call('GET /payments/:id', { params: { id } });
      return PAID.includes(transaction.status) ? transaction : undefined;
    });
    return id;
  }

  async refund(payment: string, amount?: number): Promise<string> {
    const body = { payment, reason: 'requested_by_customer', ...(amount === undefined ? {} : { amount }) };
    return (await this.call('POST /refunds', { body })).refund.id;
  }

  /** Creates a transfer, paid from the money of a payment made just before. */
  async transfer(phone: string = PHONES.succeeds): Promise<string> {
    await this.paid();
    const beneficiary = { name: PAYER.name, channel: CHANNEL, phone };
    return (await this.call('POST /transfers', { body: { amount: 1_000, currency: 'XAF', beneficiary } })).transfer.id;
  }

  async customer(): Promise<string> {
    const email = `awa.${this.sandbox.unique}@payer.example`;
    return (await this.call('POST /customers', { body: { name: PAYER.name, email } })).customer.id;
  }

  async beneficiary(): Promise<string> {
    const body = { name: PAYER.name, channel: CHANNEL, phone: PHONES.succeeds };
    return (await this.call('POST /beneficiaries', { body })).beneficiary.id;
  }

  async account(): Promise<string> {
    const body = { name: 'Boutique Awa', email: 'boutique@shop.example' };
    return (await this.call('POST /accounts', { body })).account.id;
  }

  /**
   * Waits for the event of a type about a resource.
   * @throws NotTriggered after 60 s
   */
  eventOf(type: string, id: string): Promise<{ id: string; data: Record<string, unknown> }> {
    return until(`no event ${type} of ${id} arrived`, async () => {
      const { items } = await this.call('GET /events', { query: { per_page: 25, cursor: '', type } });
      return items.find(({ data }: { data: { id: string } }) => data.id === id);
    });
  }
}

async function until<T>(complaint: string, look: () => Promise<T | undefined>): Promise<T> {
  const deadline = performance.now() + DEADLINE_MS;
  for (let wait = FIRST_LOOK_MS; ; wait *= 1.5) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > deadline) throw new NotTriggered('not_arrived', complaint);
    await sleep(wait);
  }
}
