import type { TObject } from 'typebox';
import type { Clock } from '../../kit/clock.ts';
import type { Environment } from '../../kit/environment.ts';
import type { Send } from '../../kit/fetch.ts';
import type { Log } from '../../kit/log.ts';
import type { Provider } from './contract.ts';
import type { StatementFormat } from './statement.ts';

/** A team's account at a provider. The credentials match the connector's own schema. */
export interface ProviderAccount {
  /** `pa_…` */
  id: string;
  environment: Environment;
  /** Text values by name. They are encrypted at rest, never returned and never logged. */
  credentials: Record<string, string>;
}

/** The dependencies available to an adapter. */
export interface Tools {
  /**
   * Sends an HTTP request. Never throws, and every call has a deadline. The operator sets the provider addresses,
   * hence guard `none`.
   */
  send: Send;
  clock: Clock;
  log: Log;
}

/** One kind of provider: a factory that makes a {@link Provider} from a team's account. Each adapter folder exports one. */
export interface Connector {
  /** Identifier as stored in `attempts.provider`: `pawapay`, `mtn-momo`, … */
  readonly name: string;
  /** Display name. */
  readonly title: string;
  /**
   * The input of `pirogue providers add`: an object of strings, each with a description. `base_url` is optional for
   * every provider. It defaults to the provider's own address for the environment and is overridden for a simulator or
   * a proxy.
   */
  readonly credentials: TObject;
  connect(account: ProviderAccount, tools: Tools): Provider;
  /**
   * Set unless the environment alone selects the provider's address: where the credentials select the mode, or where the
   * provider has no test mode. Returns the fault of credentials for another mode than that of the environment, without
   * their values, or null. Such an account offers nothing.
   */
  readonly modeFault?: (account: Omit<ProviderAccount, 'id'>) => string | null;
  /** Set where some refunds are sent to the payer's number, which is then kept longer. */
  readonly refunds_to_number?: true;
  /** The statement format, where the provider publishes one. The normal format is always accepted. */
  readonly statement?: StatementFormat;
}
