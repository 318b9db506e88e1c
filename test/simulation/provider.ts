import type {
  Cancellation,
  Collection,
  Next,
  PayerInput,
  Payout,
  PayoutOutcome,
  Provider,
  Reading,
  Refund,
  RefundOutcome,
  Submission,
} from '../../src/providers/adapters/contract.ts';
import { type Entry, stateOf } from './book.ts';
import type { Bank } from './bank.ts';
import { verifyCallback } from './callbacks.ts';
import type { CodeAnswer } from './codes.ts';
import type { Random } from './contract.ts';
import { passageOfStep, planOfCollection, planOfPayment } from './fates.ts';
import { Handler, TIMEOUT_MS, type Traits } from './handler.ts';

/** Makes a provider whose every call has a drawn outcome. docs/reliability/simulation.md lists what of the contract is not drawn. */
export function simulatedProvider(bank: Bank, traits: Traits): Provider {
  const collections = new Collections(bank, traits);
  const payments = new Payments(bank, traits);
  const { account_id, name, idempotency, readable_by, grace_ms } = traits;
  return {
    name,
    account_id,
    capabilities: {
      ...{ idempotency, readable_by, not_found_grace_ms: grace_ms },
      polls: { first_ms: 2_000, factor: 2, max_ms: 300_000 },
    },
    offers: () =>
      traits.channels.map((offer) => ({
        ...{ ...offer, operations: traits.payouts ? (['collect', 'payout'] as const) : (['collect'] as const) },
        ...{ min_minor: null, max_minor: null, step_minor: null },
      })),
    keyOf: (id) => `${name}-${id}`,
    submit: (collection) => collections.submit(collection),
    continue: (collection, input) => collections.continue(collection, input),
    read: (collection) => collections.read(collection),
    verifyCallback: (raw) => verifyCallback(traits, raw),
    ...(traits.cancels ? { cancel: (collection: Collection) => collections.cancel(collection) } : {}),
    ...(traits.prepares ? { prepare: (collection: Collection) => collections.prepare(collection) } : {}),
    ...(traits.refunds
      ? {
          refunds: {
            extent: traits.refunds,
            submit: (refund: Refund) => payments.submitRefund(refund),
            read: (refund: Refund) => payments.readRefund(refund),
          },
        }
      : {}),
    ...(traits.payouts
      ? {
          payouts: {
            reaches: (channel: string, currency: string) =>
              traits.channels.some((one) => one.channel === channel && one.currency === currency),
            submit: (payout: Payout) => payments.submitPayout(payout),
            read: (payout: Payout) => payments.readPayout(payout),
          },
        }
      : {}),
  };
}

class Collections extends Handler {
  async prepare({ description }: Collection) {
    const random = this.bank.drawFor('prepare', description);
    const storm = this.bank.settled ? 0 : this.bank.weather.storm;
    await this.bank.point(`${this.traits.name} prepares`);
    if (random.chance(0.02 * storm)) return { kind: 'unavailable', message: 'no token' } as const;
    if (random.chance(0.01 * storm)) return { kind: 'refused', reason: 'fraud_blocked', message: 'blocked' } as const;
    return { kind: 'ready', handle: random.chance(0.5) ? 'token' : null } as const;
  }

  async submit(collection: Collection): Promise<Submission> {
    const { provider_key: key, attempt_id: subject, payer: number, ...more } = collection;
    const { amount_minor, currency, description, callback_url } = more;
    const request = {
      flow: 'collect',
      key,
      subject,
      of: null,
      number,
      amount_minor,
      currency,
      description,
      callback_url,
    } as const;
    const { bank, traits } = this;
    const arrival = await this.arrive(request, (random) => planOfCollection(random, bank.weather));
    const { passage, entry, repeated, random } = arrival;
    if (passage === 'unavailable' || passage === 'denied') return { kind: 'unavailable', message: 'closed' };
    if (!entry || passage === 'lost' || passage === 'delayed') return { kind: 'unknown', message: 'no answer' };
    if (repeated) bank.book.violations.push(`the collection ${key} was sent twice`);
    if (repeated && traits.idempotency === 'conflicts') return { kind: 'duplicate' };
    const reason = entry.reason as 'operator_declined';
    if (passage === 'refused') return { kind: 'refused', reason, message: 'refused at once' };
    if (!repeated) this.differ(entry, random, 0.02);
    const state = stateOf(entry, bank.now());
    if (state === 'succeeded') return { kind: 'succeeded', provider_ref: entry.ref, ...(entry.misreports ?? entry.moves) };
    if (state === 'failed') return { kind: 'refused', reason, message: 'declined at once' };
    if (random.chance(0.01 * bank.weather.storm)) return { kind: 'duplicate' };
    const provider_ref = traits.readable_by === 'ours' && random.chance(0.2) ? null : entry.ref;
    return { kind: 'accepted', provider_ref, next: this.#next(entry, random), poll_after_ms: 1_000 + random.int(20_000) };
  }

  /** Some actions of the payer are found by a read of the status only. */
  #next(entry: Entry, random: Random): Next {
    const next = this.#action(entry, random);
    if (next.kind === 'confirm' || random.chance(0.7)) return next;
    entry.reveals = next;
    return { kind: 'confirm' };
  }

  #action(entry: Entry, random: Random): Next {
    const kind = random.next();
    if (kind < 0.78) return { kind: 'confirm', hint: 'Dial *126#' };
    if (kind < 0.95) {
      // Without the code it ends unpaid.
      this.bank.awaitCode(entry);
      return { kind: 'otp' };
    }
    if (kind < 0.98) return { kind: 'redirect', url: `https://pay.provider.example/${entry.ref}` };
    return { kind: 'transfer', instructions: { bank: 'Bank', account_number: '1234567890', reference: entry.ref } };
  }

  async continue(collection: Collection, input: PayerInput): Promise<Submission> {
    const { bank, traits } = this;
    const { provider_key: key, description } = collection;
    const random = bank.drawFor('step', description);
    const passage = bank.settled ? 'answered' : passageOfStep(random, bank.weather);
    await bank.point(`${traits.name} gets a code for ${key}`);
    const entry = bank.book.find(traits.account_id, key);
    const unknown = { kind: 'unknown', message: 'no answer' } as const;
    if (!entry || input.kind !== 'otp') return unknown;
    if (passage === 'unavailable') return { kind: 'unavailable', message: 'closed' };
    if (passage === 'vanished' || passage === 'delayed') {
      // It comes after its sender has given up, and nobody hears of the answer.
      if (passage === 'delayed')
        void bank.later(TIMEOUT_MS + random.int(traits.grace_ms / 4), () => bank.codeArrived(entry, input.otp, traits));
      await bank.sleep(TIMEOUT_MS);
      return unknown;
    }
    const answer = bank.codeArrived(entry, input.otp, traits);
    if (passage === 'lost') await bank.sleep(TIMEOUT_MS);
    await bank.point(`${traits.name} took the code for ${key}: ${answer}`);
    return passage === 'lost' ? unknown : this.#stepOf(entry, answer);
  }

  #stepOf(entry: Entry, answer: CodeAnswer): Submission {
    const { ref, reason } = entry;
    switch (answer) {
      case 'accepted':
        return { kind: 'accepted', provider_ref: ref, next: { kind: 'confirm' }, poll_after_ms: 1_000 };
      case 'succeeded':
        return { kind: 'succeeded', provider_ref: ref, ...(entry.misreports ?? entry.moves) };
      case 'refused':
        return { kind: 'refused', reason: reason as 'operator_declined', message: 'the code was refused' };
      case 'duplicate':
        return { kind: 'duplicate' };
    }
  }

  async read(collection: Collection): Promise<Reading> {
    const entry = await this.look(collection.provider_key, collection.provider_ref);
    if (entry === 'dark') return { kind: 'unreadable', message: 'an empty page' };
    if (!entry) return { kind: 'not_found' };
    return this.bank.readingOf(entry);
  }

  async cancel(collection: Collection): Promise<Cancellation> {
    const { bank, traits } = this;
    await bank.point(`${traits.name} is to cancel ${collection.provider_key}`);
    const entry = bank.book.find(traits.account_id, collection.provider_key);
    if (!entry || bank.random.chance(0.1)) return { kind: 'unknown', message: 'no answer' };
    if (stateOf(entry, bank.now()) !== 'pending' || bank.random.chance(0.1)) return { kind: 'too_late', message: 'too late' };
    Object.assign(entry, { end: 'cancelled', ends_at: bank.now(), late_at: null });
    return { kind: 'cancelled' };
  }
}

class Payments extends Handler {
  async submitRefund(refund: Refund): Promise<RefundOutcome> {
    const { provider_key: key, refund_id: subject, amount_minor, currency, collection, callback_url } = refund;
    const { bank, traits } = this;
    const { description, provider_key: of, payer: number } = collection;
    const request = { flow: 'refund', key, subject, of, number, amount_minor, currency, description, callback_url } as const;
    const replays = traits.idempotency === 'replays';
    bank.checkRefund(traits, refund);
    const apart = bank.drawFor('contradiction', description);
    const contradicts = bank.isDoubting(apart, refund);
    // It says so of a refund that it takes, and of one that it does not.
    if (contradicts && apart.chance(0.5)) return bank.needPerson(traits, refund);
    const arrival = await this.arrive(request, (random) => planOfPayment(random, bank.weather, false, replays));
    if (arrival.passage === 'unavailable' || arrival.passage === 'denied') return { kind: 'unavailable', message: 'closed' };
    if (!arrival.entry || arrival.passage === 'lost' || arrival.passage === 'delayed')
      return { kind: 'unknown', message: 'no answer' };
    return contradicts ? bank.needPerson(traits, refund) : bank.refundOutcomeOf(arrival.entry, replays);
  }

  async readRefund(refund: Refund): Promise<RefundOutcome> {
    const { bank, traits } = this;
    const { provider_key, provider_ref } = refund;
    const entry = await this.look(provider_key, provider_ref ?? 'by key');
    if (entry === 'dark') return { kind: 'unknown', message: 'an empty page' };
    if (bank.isDoubting(bank.drawFor('contradiction of a read', provider_key), refund)) return bank.needPerson(traits, refund);
    return entry ? this.bank.refundOutcomeOf(entry, true) : { kind: 'not_found' };
  }

  async submitPayout(payout: Payout): Promise<PayoutOutcome> {
    const { provider_key: key, transfer_id: subject, recipient, amount_minor, currency, description, callback_url } = payout;
    const number = recipient.phone ?? recipient.account_number;
    const request = {
      flow: 'payout',
      key,
      subject,
      of: null,
      number,
      amount_minor,
      currency,
      description,
      callback_url,
    } as const;
    const { bank } = this;
    const replays = this.traits.idempotency === 'replays';
    const arrival = await this.arrive(request, (random) => planOfPayment(random, bank.weather, true, replays));
    if (arrival.passage === 'unavailable' || arrival.passage === 'denied') return { kind: 'unavailable', message: 'closed' };
    if (!arrival.entry || arrival.passage === 'lost' || arrival.passage === 'delayed')
      return { kind: 'unknown', message: 'no answer' };
    return bank.payoutOutcomeOf(arrival.entry, replays);
  }

  async readPayout({ provider_key, provider_ref }: Payout): Promise<PayoutOutcome> {
    const entry = await this.look(provider_key, provider_ref ?? 'by key');
    if (entry === 'dark') return { kind: 'unknown', message: 'an empty page' };
    return entry ? this.bank.payoutOutcomeOf(entry, true) : { kind: 'not_found' };
  }
}
