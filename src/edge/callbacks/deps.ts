import type { ReturnDeps } from '../../core/returns/deps.ts';
import type { TransferDeps } from '../../core/transfers/deps.ts';
import type { ExchangeLog } from '../../providers/exchanges/log.ts';

/** The dependencies of receiving callbacks. */
export interface CallbackDeps extends ReturnDeps, TransferDeps {
  /** Null when exchanges with providers are not stored. */
  exchangeLog: Pick<ExchangeLog, 'add'> | null;
  /** `leaving` changes once: when the process starts to shut down. */
  service: { leaving: boolean };
}
