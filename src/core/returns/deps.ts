import type { RefundDeps } from '../refunds/deps.ts';

/** The dependencies of returns. */
export type ReturnDeps = RefundDeps;
