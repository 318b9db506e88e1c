import type { Callback, RawCallback, Reading } from '../../src/providers/adapters/contract.ts';
import type { Traits } from './handler.ts';

/** The body of a callback of a simulated provider. */
export interface CallbackBody {
  seal: string;
  signed: boolean;
  by: 'provider_key' | 'provider_ref';
  value: string;
  update: (Omit<Reading, 'amount_minor'> & { amount_minor?: string }) | null;
}

/** What the provider signs with; a forged callback has another. */
export function sealOf(account_id: string): string {
  return `seal of ${account_id}`;
}

export function verifyCallback({ account_id }: Traits, { body }: RawCallback): Callback {
  const { seal, signed, by, value, update } = JSON.parse(body.toString()) as CallbackBody;
  if (seal !== sealOf(account_id)) return { kind: 'forged', message: 'the seal is wrong' };
  const subject = { by, value };
  if (!signed) return { kind: 'hint', subject };
  return { kind: 'signed', subject, update: update === null ? null : readingOf(update) };
}

function readingOf(update: NonNullable<CallbackBody['update']>): Reading {
  const { amount_minor, ...rest } = update;
  return { ...rest, ...(amount_minor === undefined ? {} : { amount_minor: BigInt(amount_minor) }) } as Reading;
}

/** Amounts are sent as text. */
export function asUpdate(reading: Reading): CallbackBody['update'] {
  return JSON.parse(JSON.stringify(reading, (_, value) => (typeof value === 'bigint' ? value.toString() : value)));
}
