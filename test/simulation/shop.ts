import type { Answer, CallRequest, Random, Surroundings } from './contract.ts';

/** One way to pay: a channel with the numbers on it. */
export interface Line {
  channel: string;
  currency: string;
  /** Null: the provider asks the payer itself. */
  field: 'phone' | 'account_number' | null;
  stem: string;
  /** Amounts of most payments, in the smallest unit that moves; `unit` of them are 1. */
  least: number;
  most: number;
  unit: 1 | 100;
  /** Amounts from here on are collected in tranches. */
  large: number | null;
}

const wallet = { field: 'phone', large: null } as const;

export const LINES: readonly Line[] = [
  { ...wallet, channel: 'cm.mtn', currency: 'XAF', stem: '+23767', least: 100, most: 60_000, unit: 1, large: 500_001 },
  { ...wallet, channel: 'cm.orange', currency: 'XAF', stem: '+23769', least: 100, most: 60_000, unit: 1, large: 500_001 },
  { ...wallet, channel: 'sn.orange', currency: 'XOF', stem: '+22177', least: 100, most: 60_000, unit: 1, large: 500_001 },
  { ...wallet, channel: 'ng.mtn', currency: 'NGN', stem: '+234803', least: 5_000, most: 9_000_000, unit: 100, large: null },
  { ...wallet, channel: 'gh.mtn', currency: 'GHS', stem: '+23324', least: 100, most: 400_000, unit: 100, large: null },
  { ...wallet, channel: 'ke.mpesa', currency: 'KES', stem: '+25470', least: 100, most: 4_000_000, unit: 100, large: null },
  { ...wallet, channel: 'ug.mtn', currency: 'UGX', stem: '+25677', least: 500, most: 900_000, unit: 1, large: null },
  {
    channel: 'ng.bank',
    currency: 'NGN',
    field: 'account_number',
    stem: '00',
    least: 5_000,
    most: 90_000_000,
    unit: 100,
    large: null,
  },
  { channel: 'cm.card', currency: 'XAF', field: null, stem: '', least: 100, most: 900_000, unit: 1, large: null },
];

/** What a shop wanted once. With an idempotency key it becomes one resource, however often it is sent. */
export interface Intent {
  kind: 'payment' | 'refund' | 'transfer' | 'link' | 'invoice';
  /** Found again in the reference or metadata of the resource. */
  tag: string;
  keyed: boolean;
  /** Times it was sent as a new wish: without a key each may become a resource. */
  sent: number;
  /** Ids in answers of success. */
  ids: Set<string>;
}

/** What a request has beside its path. Without a key of its own it has the secret key of the shop. */
type Sent = Pick<CallRequest, 'body' | 'headers' | 'idempotency_key' | 'key'>;

/** How often a request is repeated that had no answer, or a 5xx. */
const MAX_TRIES = 8;
/** Retries of a 502: perhaps no provider of the shop supports the operation. */
const FEW_TRIES = 2;

/** A merchant as its own software sees it. */
export class Shop {
  readonly around: Surroundings;
  readonly team_id: bigint;
  readonly key: string;
  /** A key for pages: it creates and charges. */
  readonly public_key: string;
  readonly lines: readonly Line[];
  readonly random: Random;
  readonly intents: Intent[] = [];
  /** What the service should never have answered. */
  readonly complaints: string[] = [];
  /** Sub-accounts with a split. */
  readonly accounts: string[] = [];
  readonly links: { id: string; max_uses: number | null }[] = [];
  /** Amounts that payers typed on the pages of links without an amount, by link. */
  readonly typed = new Map<string, number[]>();
  /** Customers that were blocked: whether they are in the end; null: an answer was lost. */
  readonly blocked = new Map<string, boolean | null>();
  /** Names, e-mail addresses and numbers of erased customers: nothing of them may be found any more. */
  readonly erased: { customer: string; canaries: string[] }[] = [];

  constructor(around: Surroundings, team: { id: bigint; key: string; public_key: string; lines: readonly Line[]; name: string }) {
    this.around = around;
    this.team_id = team.id;
    this.key = team.key;
    this.public_key = team.public_key;
    this.lines = team.lines;
    this.random = around.random.fork(team.name);
  }

  /** One request; anything may become of it. */
  async send(method: string, path: string, more: Sent = {}): Promise<Answer | 'lost'> {
    return this.around.call({ method, path, key: this.key, ...more });
  }

  /**
   * Repeats a request with the same key until it has an answer, as the documentation tells merchants to.
   * @returns null when the shop gives up
   */
  async insist(method: string, path: string, more: Sent = {}): Promise<Answer | null> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const answer = await this.send(method, path, more);
      if (answer !== 'lost' && (answer.status < 500 || (answer.status === 502 && tries >= FEW_TRIES))) return answer;
      await this.around.sleep(1_000 * 2 ** Math.min(tries, 5) + this.random.int(1_000));
    }
    return null;
  }

  // biome-ignore lint/suspicious/noExplicitAny: a merchant reads whatever shape it expects
  async get(path: string): Promise<any> {
    const answer = await this.insist('GET', path);
    return answer?.status === 200 ? answer.body : null;
  }

  /** Sends a wish with a key until it has an answer, or once without one. Twice at the same time: an impatient click. */
  async wish(
    intent: Intent,
    path: string,
    body: object,
    options: { twice?: boolean; headers?: Record<string, string>; key?: string } = {},
  ): Promise<Answer | null> {
    if (!this.intents.includes(intent)) this.intents.push(intent);
    const { headers = {}, key = this.key } = options;
    const request = { body, headers, key, ...(intent.keyed ? { idempotency_key: intent.tag } : {}) };
    intent.sent += 1;
    const once = async () => (intent.keyed ? this.insist('POST', path, request) : this.#unsure(intent, path, request));
    if (options.twice) intent.sent += intent.keyed ? 0 : 1;
    const answers = await Promise.all(options.twice ? [once(), once()] : [once()]);
    for (const answer of answers) this.#keep(intent, answer);
    return answers.find((answer) => answer !== null && answer.status < 300) ?? answers[0] ?? null;
  }

  /** Without a key a shop may only guess: some send it again. */
  async #unsure(intent: Intent, path: string, request: Pick<CallRequest, 'body' | 'headers'>): Promise<Answer | null> {
    const answer = await this.send('POST', path, request);
    if (answer !== 'lost') return answer;
    if (this.random.chance(0.5)) return null;
    intent.sent += 1;
    const again = await this.send('POST', path, request);
    return again === 'lost' ? null : again;
  }

  #keep({ kind, ids }: Intent, answer: Answer | null): void {
    if (answer?.status !== 201) return;
    ids.add(answer.body[kind === 'payment' ? 'transaction' : kind].id);
  }
}

/** An amount in major units. */
export function amountOf(random: Random, { least, most, unit }: Line): number {
  // Small amounts are frequent, and so are round ones.
  const drawn = least + Math.floor((most - least) * random.next() ** 3);
  const rounded = random.chance(0.5) ? Math.max(least, Math.round(drawn / (100 * unit)) * 100 * unit) : drawn;
  return rounded / unit;
}

/** A number that nobody else in this world has: otherwise an erased number would be found in what another person did. */
export function numberOn({ around: { numbers } }: Shop, random: Random, { stem }: Line): string {
  const drawn = () => stem + String(random.int(10_000_000)).padStart(stem.startsWith('+') ? 7 : 8, '0');
  let number = drawn();
  while (numbers.has(number)) number = drawn();
  numbers.add(number);
  return number;
}
