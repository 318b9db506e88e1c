/** The seven buckets of a merchant's balance, each party's own. */
export type Bucket = 'available' | 'pending' | 'credit' | 'hold' | 'disputed' | 'reserved' | 'in.transit';

/** The accounts of one team as a few variables, in hundredths: what the database is compared with. */
export class Books {
  readonly currency: string;
  readonly #balances = new Map<string, bigint>();

  constructor(currency: string) {
    this.currency = currency;
  }

  balance(bucket: Bucket, party = '', currency = this.currency): bigint {
    return this.#balances.get(`${currency}|${bucket}|${party}`) ?? 0n;
  }

  /** Every account that was ever moved. */
  accounts(): { currency: string; bucket: Bucket; party: string; amount: bigint }[] {
    return [...this.#balances].map(([key, amount]) => {
      const [currency, bucket, party] = key.split('|') as [string, Bucket, string];
      return { currency, bucket, party, amount };
    });
  }

  add(bucket: Bucket, party: string, amount: bigint, currency = this.currency): void {
    this.#balances.set(`${currency}|${bucket}|${party}`, this.balance(bucket, party, currency) + amount);
  }

  /** What became available repays first what the platform advanced. */
  repay(party: string): void {
    const debt = -this.balance('credit', party);
    const available = this.balance('available', party);
    const part = debt < available ? debt : available;
    if (part <= 0n) return;
    this.add('available', party, -part);
    this.add('credit', party, part);
  }
}
