import type { Environment } from '../../src/kit/environment.ts';
import { type Send, send } from '../../src/kit/fetch.ts';
import { createLog } from '../../src/kit/log.ts';
import type { Connector, Tools } from '../../src/providers/adapters/connector.ts';
import type { ChannelKind } from '../../src/kit/channel-kind.ts';
import type { Provider } from '../../src/providers/adapters/contract.ts';
import type { Reason } from '../../src/providers/adapters/reasons.ts';
import { startSimulator, type Simulator, type SimulatorKind, type SimulatorOptions } from '../../simulators/kit/simulator.ts';

/** One channel and currency the suite sends money over. */
export interface Line {
  channel: { id: string; kind: ChannelKind; country: string };
  currency: string;
  /** Odd enough to show a wrong scale: 1234.56 where there are decimals, 1235 where there are none. */
  amount_minor: bigint;
  /** What stands before the last six digits of a number, with the plus: `+237653`. */
  stem: string;
}

/** What something comes to in the end. */
export interface End {
  kind: 'succeeded' | 'failed' | 'cancelled' | 'expired';
  /** Null: the contract names no reason, or the provider gives none. */
  reason: Reason | 'invalid_recipient' | 'recipient_unregistered' | null;
}

/** What a provider's adapter is held to. Adding a provider to the suite is writing one of these. */
export interface Fixture {
  name: string;
  /** False: it has no wire (the sandbox), and what needs one is left out. */
  wire?: false;
  collect: readonly Line[];
  payout: readonly Line[];
  /** By the last six digits (or more, down to the whole number with its plus) of the payer's or recipient's number. */
  ends: { collect: Record<string, End>; payout: Record<string, End>; refund: Record<string, End> };
  /** A refund whose answer was lost cannot be found again; as a rule one can, where a collection can. */
  lost_refunds?: true;
  /** What its callbacks prove. `checked`: a wake-up whose token has to be right. `none`: it sends none. */
  callbacks: 'signed' | 'checked' | 'hint' | 'none';
  /** @param callback_url where its callbacks are to go, for providers that learn it on their own site */
  start(callback_url: string): Promise<Stage>;
}

/** A provider ready to be tried. */
export interface Stage {
  provider: Provider;
  /** Of the account: none of it may ever show in what the adapter says. */
  secrets: readonly string[];
  /** Null for a provider without a wire: what needs one is left out. */
  world: World | null;
  stop(): Promise<void>;
}

export interface World {
  simulator: Simulator;
  /** The same account with credentials that are wrong. */
  stranger: Provider;
}

/** What an adapter waits for in the suite, whatever longer deadline it sets itself: less than a slow simulator takes ({@link SLOW_MS}). */
const PATIENCE_MS = 2_500;
export const SLOW_MS = 3_500;
/** Time between two looks at whether an answer has come. */
const LOOK_MS = 50;

/**
 * Gives up after so many looks, not at a moment: the simulator is in this process, so while it pauses, or has too much to do, no answer can
 * come either.
 */
const sendWithPatience: Send = async (options) => {
  const given_up = Promise.withResolvers<Awaited<ReturnType<Send>>>();
  let left = PATIENCE_MS / LOOK_MS;
  const detail = `no answer in ${left} looks`;
  const looks = setInterval(() => {
    if (--left <= 0) given_up.resolve({ kind: 'failed', error: 'timeout', sent: true, detail, duration_ms: PATIENCE_MS });
  }, LOOK_MS);
  return Promise.race([send(options), given_up.promise]).finally(() => clearInterval(looks));
};

/** The tools of an adapter, with less patience. */
export const tools: Tools = {
  send: sendWithPatience,
  clock: { now: () => Date.now() },
  log: createLog({ level: 'silent', format: 'json' }),
};

/**
 * A provider in front of its simulator.
 * @param parts.wrong credentials that the simulator does not take, over the right ones
 */
export async function stageOf(parts: {
  connector: Connector;
  kind: SimulatorKind;
  environment?: Environment;
  options?: Partial<SimulatorOptions>;
  credentials?: Record<string, string>;
  wrong: Record<string, string>;
}): Promise<Stage & { world: World }> {
  const { connector, environment = 'live' } = parts;
  const simulator = await startSimulator(parts.kind, { slow_ms: SLOW_MS, delay_ms: 30, ...parts.options });
  const credentials = { ...simulator.credentials, ...parts.credentials };
  const connect = (given: Record<string, string>) =>
    connector.connect({ id: 'pa_suite', environment, credentials: given }, tools);
  return {
    provider: connect(credentials),
    secrets: Object.entries({ ...credentials, ...parts.wrong }).flatMap(([name, value]) => (isPublic(name) ? [] : [value])),
    world: { simulator, stranger: connect({ ...credentials, ...parts.wrong }) },
    stop: () => simulator.stop(),
  };
}

/** Credentials that are no secret: anyone may see them in a message. */
function isPublic(name: string): boolean {
  return ['base_url', 'target_environment', 'country', 'currency', 'callback_url', 'sender_country', 'sender_name'].includes(
    name,
  );
}
