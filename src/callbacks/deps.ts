import type { ReturnDeps } from '../returns/deps.ts';
import type { TransferDeps } from '../transfers/deps.ts';

/** The dependencies of receiving callbacks. */
export interface CallbackDeps extends ReturnDeps, TransferDeps {}
