import type { SendOptions, SendResult } from '../../src/kit/fetch.ts';
import type { Connector } from '../../src/providers/adapters/connector.ts';
import type { Provider } from '../../src/providers/adapters/contract.ts';
import type { SimulatorRoute } from '../../simulators/kit/calls.ts';
import type { Simulator } from '../../simulators/kit/simulator.ts';
import { tools } from './fixture.ts';
import { answered } from './wire-stub.ts';

/** Which requests are answered otherwise than the simulator would, and how. Everything else reaches the simulator. */
export interface Hostility {
  doing: SimulatorRoute['doing'];
  answer(genuine: () => Promise<SendResult>): SendResult | Promise<SendResult>;
}

/** An account at a simulator whose answers can be replaced. `met` counts the answers that were. */
export class HostileAccount {
  readonly provider: Provider;
  readonly #simulator: Simulator;
  hostility: Hostility | null = null;
  met = 0;
  /** Requests without an answer yet. */
  under_way = 0;

  constructor(connector: Connector, simulator: Simulator, now: () => number) {
    this.#simulator = simulator;
    const account = { id: 'pa_suite', environment: 'live', credentials: simulator.credentials } as const;
    const send = async (options: SendOptions) => {
      this.under_way++;
      return this.#send(options).finally(() => this.under_way--);
    };
    this.provider = connector.connect(account, { ...tools, clock: { now }, send });
  }

  /** What the work comes to while the requests are answered so. */
  async under<T>(hostility: Hostility, work: () => Promise<T>): Promise<T> {
    this.hostility = hostility;
    try {
      return await work();
    } finally {
      this.hostility = null;
    }
  }

  async #send(options: SendOptions): Promise<SendResult> {
    const { hostility } = this;
    const { pathname } = new URL(options.url);
    if (!hostility || this.#simulator.doingOf(options.method, pathname) !== hostility.doing) return tools.send(options);
    this.met++;
    return hostility.answer(() => tools.send(options));
  }
}

/** Statuses nobody documents as an answer to a payment, beside the successes under which a body decides. */
export const STATUSES = [
  ...[200, 201, 202, 203, 204, 206, 300, 302, 304, 402, 405, 406, 407, 408, 410, 411, 412, 413, 415, 418, 421, 422, 423, 424],
  ...[425, 426, 428, 431, 451, 499, 500, 501, 502, 503, 504, 505, 507, 511, 520, 522, 524, 530, 599],
];

/** Every name under which a provider tells a code or a status, with words that none of them knows. */
const MADE_UP = {
  ...{ status: 'MADE_UP', code: 'MADE_UP', message: 'Something nobody has seen', error_code: 'made-up', errorCode: '777.777.77' },
  ...{ ResponseCode: '0', ResultCode: '77777', ResultDesc: 'words', treatment_status: 'ZZZ', checkout_status: 'made-up' },
  ...{ payment_status: 'made-up', failureReason: { failureCode: 'MADE_UP', failureMessage: 'words' }, nextStep: 'MADE_UP' },
  data: { status: 'MADE_UP', id: 'x', amount: 'much', currency: 'ZZZZ' },
};

/** `String` and `Number` throw when they meet it. */
export const UNPRINTABLE = { toString: 0, valueOf: 0 };

/** Bodies that say nothing which is documented. */
export const BODIES: readonly unknown[] = [
  ...['', ' ', '<!DOCTYPE html><html><h1>Sorry</h1></html>', '{"status":"SUCC', '[]', '[1,2]', '42', '"SUCCESS"', 'null', 'true'],
  ...['{}', '[{}]', '{"data":[]}', '{"data":[[]]}', '{"data":null}', '{"status":null}', '{"status":0}', '{"status":["SUCCESS"]}'],
  ...['{"code":{}}', '{"code":-1e9}', '{"error":{"code":"MADE_UP"}}', '{"__proto__":{"status":"SUCCESS"}}'],
  ...[MADE_UP, [MADE_UP], { data: MADE_UP }, { result: [MADE_UP] }, { data: [MADE_UP] }, { ...MADE_UP, code: 77_777, data: [] }],
];

/** @param given the value that stands there now */
function stranger(given: unknown): unknown[] {
  const others = [undefined, null, 'MADE_UP_77', '', 77_777, -1, true, [], [given], {}, { made: 'up' }, UNPRINTABLE];
  return typeof given === 'string' || typeof given === 'number' ? [...others, `${given}0`, `${given} `] : others;
}

/** The genuine answer with one thing in it changed: each place, each way. */
export function mutationsOf(body: unknown): { where: string; body: unknown }[] {
  const found: { where: string; body: unknown }[] = [];
  const visit = (at: unknown, path: string, put: (value: unknown) => unknown, depth: number): void => {
    for (const value of stranger(at)) found.push({ where: `${path} = ${JSON.stringify(value)}`, body: put(value) });
    if (depth === 0 || at === null || typeof at !== 'object') return;
    if (Array.isArray(at)) {
      const put_at = (index: number) => (value: unknown) => put(at.with(index, value));
      for (const [index, value] of at.entries()) visit(value, `${path}[${index}]`, put_at(index), depth - 1);
      return;
    }
    for (const [name, value] of Object.entries(at)) {
      visit(value, `${path}.${name}`, (changed) => put({ ...at, [name]: changed }), depth - 1);
    }
  };
  visit(body, '', (value) => value, 5);
  return found;
}

/** The answer with another body. */
export function withBody(result: SendResult, body: unknown): SendResult {
  return result.kind === 'answered' ? answered(result.status, body === undefined ? '' : body) : result;
}
