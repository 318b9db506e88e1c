import type { TObject } from 'typebox';
import type { Clock } from '../kit/clock.ts';
import type { Environment } from '../kit/environment.ts';
import type { Send } from '../kit/fetch.ts';
import type { Log } from '../kit/log.ts';
import type { Provider } from './contract.ts';
import type { StatementFormat } from './statement.ts';

/** What a team told us of its account at a provider. The credentials fit the connector's own schema. */
export interface ProviderAccount {
  /** `pa_…` */
  id: string;
  environment: Environment;
  /** Text by name; sealed at rest, never shown again, never logged. */
  credentials: Record<string, string>;
}

/** What an adapter may use of the world. */
export interface Tools {
  /** Never throws; every call has a deadline. Providers' addresses are set by the operator: guard `none`. */
  send: Send;
  clock: Clock;
  log: Log;
}

/** One kind of provider: how to make a {@link Provider} out of a team's account there. A folder of its own exports it. */
export interface Connector {
  /** As in `attempts.provider`: `pawapay`, `mtn-momo`, … */
  readonly name: string;
  /** For people. */
  readonly title: string;
  /**
   * What `pirogue providers add` asks for: an object of strings, each with a description. `base_url` is optional
   * everywhere: the provider's own address of the environment unless a twin or a proxy stands in.
   */
  readonly credentials: TObject;
  connect(account: ProviderAccount, tools: Tools): Provider;
  /** Some of its refunds go to the payer's number, which is kept longer for them. */
  readonly refunds_to_number?: true;
  /** How its statements are written, where it says so; the normal form is always taken. */
  readonly statement?: StatementFormat;
}
