import type { ReturnDeps } from '../../core/returns/deps.ts';
import type { TransferDeps } from '../../core/transfers/deps.ts';

/** The dependencies of receiving callbacks. */
export interface CallbackDeps extends ReturnDeps, TransferDeps {}
