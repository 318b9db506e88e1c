import type { Clock } from '../../../kit/clock.ts';
import { unreachable } from '../../../kit/errors.ts';
import type { Collection, Next, PayerInput, Provider, Reading, Submission } from '../contract.ts';
import { type Outcome, outcomeOfCard, outcomeOfNumber, refundsFail, UNREFUNDABLE } from './codes.ts';

/** Returns the collection operations of test mode. */
export function collections(clock: Clock, delay_ms: number): Pick<Provider, 'submit' | 'continue' | 'read'> {
  return {
    submit: async (collection) => submit(collection, delay_ms),
    continue: async (collection, input) => proceed(collection, input, delay_ms),
    read: async (collection) => read(collection, clock.now(), delay_ms),
  };
}

function outcomeOf(collection: Collection): Outcome | undefined {
  if (collection.payer === null) return undefined;
  return collection.channel.kind === 'card' ? outcomeOfCard(collection.payer) : outcomeOfNumber(collection.payer);
}

function submit(collection: Collection, delay_ms: number): Submission {
  const outcome = outcomeOf(collection);
  if (!outcome) return accepted({ kind: 'redirect', url: collection.return_url }, delay_ms);
  switch (outcome.kind) {
    case 'refused':
      return { kind: 'refused', reason: outcome.reason, message: `sandbox: ${outcome.reason}` };
    case 'succeeds':
      if (collection.channel.kind === 'card') return captured(collection);
      return accepted(nextOf(collection), delay_ms);
    case 'times_out':
    case 'payer_cancels':
      return accepted(nextOf(collection), delay_ms);
    case 'authenticates':
      return accepted({ kind: 'redirect', url: `${collection.return_url}?step=3ds` }, delay_ms);
    default:
      return unreachable(outcome);
  }
}

function proceed(collection: Collection, input: PayerInput, delay_ms: number): Submission {
  switch (input.kind) {
    case 'card':
      return submit({ ...collection, payer: input.token }, delay_ms);
    case 'authentication':
      if (input.passed) return captured(collection);
      return { kind: 'refused', reason: 'authentication_failed', message: 'sandbox: authentication_failed' };
    case 'otp':
      return accepted(nextOf(collection), delay_ms);
    default:
      return unreachable(input);
  }
}

function read(collection: Collection, now: number, delay_ms: number): Reading {
  const age = now - (collection.submitted_at ?? now);
  const outcome = outcomeOf(collection);
  // The attempt is pending on the card page for as long as the payment window is open.
  if (!outcome || outcome.kind === 'authenticates') {
    return now >= collection.expires_at ? { kind: 'expired' } : { kind: 'pending', poll_after_ms: collection.expires_at - now };
  }
  const due = outcome.kind === 'times_out' ? 2 * delay_ms : delay_ms;
  if (age < due) return { kind: 'pending', poll_after_ms: due - age };
  switch (outcome.kind) {
    case 'succeeds':
      return captured(collection);
    case 'refused':
    case 'times_out':
      return { kind: 'failed', reason: outcome.reason, message: `sandbox: ${outcome.reason}` };
    case 'payer_cancels':
      return { kind: 'cancelled', reason: outcome.reason, message: `sandbox: ${outcome.reason}` };
    default:
      return unreachable(outcome);
  }
}

function captured(collection: Collection) {
  const { provider_key, payer, amount_minor, currency } = collection;
  // The reference contains all that a refund needs, as with a real provider: the payer's number may be erased by then.
  const provider_ref = `sandbox-${provider_key}${refundsFail(payer ?? '') ? UNREFUNDABLE : ''}`;
  return { kind: 'succeeded', provider_ref, amount_minor, currency } as const;
}

function accepted(next: Next, poll_after_ms: number): Submission {
  return { kind: 'accepted', provider_ref: null, next, poll_after_ms };
}

function nextOf(collection: Collection): Next {
  if (collection.channel.kind !== 'bank') return { kind: 'confirm' };
  return {
    kind: 'transfer',
    instructions: {
      bank: 'Sandbox Bank',
      account_number: '0001112223',
      reference: collection.provider_key.slice(-10).toUpperCase(),
    },
  };
}
