import { setTimeout as sleep } from 'node:timers/promises';
import { randomBase62 } from '../../../kit/crypto.ts';
import { type Api, RequestError } from '../api.ts';
import { Failure } from '../failure.ts';

const DEADLINE_MS = 20_000;
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
const PAYER = { name: 'Awa Ndiaye', email: 'awa@payer.example' };

/** Creates resources in the sandbox, as a merchant's server does. */
export class Maker {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /** One call; the body of its answer. */
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what the operation's schema promises
  async call(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object): Promise<any> {
    return (await this.#api.call(method, path, body)).body;
  }

  async payment(fields: object = {}): Promise<string> {
    const body = { amount: 5_000, currency: 'XAF', ...PAYER, description: 'pirogue trigger', ...fields };
    return (await this.call('POST', '/payments', body)).transaction.id;
  }

  /** Creates a payment and charges it. A test number that is declined at once is not an error. */
  async charged(phone: string = PHONES.succeeds, fields: object = {}): Promise<string> {
    const id = await this.payment(fields);
    try {
      await this.call('POST', `/payments/${id}`, { channel: CHANNEL, data: { phone } });
    } catch (error) {
      if (!(error instanceof RequestError) || error.status !== 402) throw error;
    }
    return id;
  }

  async paid(phone: string = PHONES.succeeds): Promise<string> {
    const id = await this.charged(phone);
    await until(`${id} did not succeed`, async () => {
      const { transaction } = await this.call('GET', `/payments/${id}`);
      return transaction.status === 'succeeded' ? transaction : undefined;
    });
    return id;
  }

  async refund(payment: string, amount?: number): Promise<string> {
    return (await this.call('POST', '/refunds', { payment, amount, reason: 'requested_by_customer' })).refund.id;
  }

  /** Creates a transfer, paid from the money of a payment made just before. */
  async transfer(phone: string = PHONES.succeeds): Promise<string> {
    await this.paid();
    const beneficiary = { name: PAYER.name, channel: CHANNEL, phone };
    return (await this.call('POST', '/transfers', { amount: 1_000, currency: 'XAF', beneficiary })).transfer.id;
  }

  async customer(): Promise<string> {
    const email = `awa.${randomBase62(12)}@payer.example`;
    return (await this.call('POST', '/customers', { name: PAYER.name, email })).customer.id;
  }

  async beneficiary(): Promise<string> {
    const body = { name: PAYER.name, channel: CHANNEL, phone: PHONES.succeeds };
    return (await this.call('POST', '/beneficiaries', body)).beneficiary.id;
  }

  async account(): Promise<string> {
    return (await this.call('POST', '/accounts', { name: 'Boutique Awa', email: 'boutique@shop.example' })).account.id;
  }

  /**
   * Waits for the event of a type about a resource.
   * @throws Failure after 20 s
   */
  eventOf(type: string, id: string): Promise<{ id: string; data: Record<string, unknown> }> {
    return until(`no event ${type} of ${id} arrived`, async () => {
      const { items } = await this.call('GET', `/events?per_page=25&cursor=&type=${type}`);
      return items.find(({ data }: { data: { id: string } }) => data.id === id);
    });
  }
}

async function until<T>(complaint: string, look: () => Promise<T | undefined>): Promise<T> {
  const deadline = performance.now() + DEADLINE_MS;
  for (let wait = FIRST_LOOK_MS; ; wait *= 1.5) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > deadline) throw new Failure(complaint, 'Are the workers running? Check with "pirogue doctor".');
    await sleep(wait);
  }
}
