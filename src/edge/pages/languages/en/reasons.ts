import { payerMessage, REASON_CODES, type Reason } from '../../../../providers/adapters/reasons.ts';

/** The texts of the API, which is in English. */
export const reasons = Object.fromEntries(REASON_CODES.map((reason) => [reason, payerMessage(reason)])) as Record<Reason, string>;
