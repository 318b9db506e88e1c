import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Delivery, Random, Surroundings } from './contract.ts';

/** One delivery that was answered with 2xx. */
export interface Taken {
  event_id: string;
  type: string;
  sequence: number;
  resource: string;
  body: string;
  // biome-ignore lint/suspicious/noExplicitAny: compared with what the API shows
  data: any;
}

/** An endpoint of a shop: what it knows, and what it has received. */
export interface Endpoint {
  url: string;
  id: string;
  secret: string | null;
  events: readonly string[];
  team_id: bigint;
  taken: Map<string, Taken>;
  /** Events that were repeated with another body. */
  changed: string[];
}

const TOLERANCE_S = 300;

/** The endpoints of all shops, written from the description of webhooks alone. */
export class Receiver {
  readonly endpoints: Endpoint[] = [];
  /** What must never arrive: a wrong signature while the secret has not changed. */
  readonly complaints: string[] = [];
  readonly #around: Surroundings;
  readonly #random: Random;
  readonly #storm: number;
  /** From now on every endpoint answers 200. */
  settled = false;

  constructor(around: Surroundings, storm: number) {
    this.#around = around;
    this.#random = around.random.fork('receiver');
    this.#storm = storm;
  }

  async receive({ url, headers: given, body }: Delivery): Promise<{ status: number; body?: string } | 'timeout'> {
    const endpoint = this.endpoints.find((one) => one.url === url);
    if (!endpoint) return { status: 404 };
    const headers = Object.fromEntries(Object.entries(given).map(([name, value]) => [name.toLowerCase(), value]));
    if (!this.#isSigned(endpoint, headers, body)) {
      this.complaints.push(`${url}: a delivery of ${headers['x-service-event']} with a wrong signature`);
      return { status: 400 };
    }
    const age_s = this.#around.now() / 1000 - Number(headers['x-service-timestamp']);
    if (age_s < -TOLERANCE_S) this.complaints.push(`${url}: a delivery of ${headers['x-service-event']} from the future`);
    // Its node may have been paused after signing it.
    if (Math.abs(age_s) > TOLERANCE_S) return { status: 400 };
    const wild = !this.settled && this.#random.chance(0.1 * this.#storm);
    const mood = wild ? this.#random.pick(['refused', 'timeout', 'taken, but no answer'] as const) : 'taken';
    if (mood === 'refused') return { status: this.#random.pick([500, 503, 302, 404]) };
    if (mood === 'timeout') return 'timeout';
    this.#take(endpoint, headers, body.toString());
    return mood === 'taken' ? { status: 200 } : 'timeout';
  }

  #isSigned({ secret }: Endpoint, headers: Record<string, string>, body: Buffer): boolean {
    const [signature = '', timestamp = ''] = [headers['x-service-signature'], headers['x-service-timestamp']];
    if (!signature.startsWith('v1=') || secret === null) return false;
    const expected = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest();
    const given = Buffer.from(signature.slice(3), 'hex');
    return given.length === expected.length && timingSafeEqual(given, expected);
  }

  #take(endpoint: Endpoint, headers: Record<string, string>, text: string): void {
    const body = JSON.parse(text);
    const known = endpoint.taken.get(body.id);
    if (known) {
      if (known.body !== text) endpoint.changed.push(body.id);
      return;
    }
    const [type, sequence] = [headers['x-service-event'] ?? '', Number(headers['x-service-sequence'])];
    if (body.event !== type) this.complaints.push(`${body.id}: the header says ${type}, the body ${body.event}`);
    endpoint.taken.set(body.id, { event_id: body.id, type, sequence, resource: body.data.id, body: text, data: body.data });
  }
}
