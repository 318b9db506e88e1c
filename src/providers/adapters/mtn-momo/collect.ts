import type { Clock } from '../../../kit/clock.ts';
import { unreachable } from '../../../kit/errors.ts';
import type { Collection, Provider, Reading, Submission } from '../contract.ts';
import { nextPoll } from '../wire/polls.ts';
import type { Creation, State } from './codes.ts';
import type { Market } from './channels.ts';
import { type Orders, partyOf, POLLS } from './orders.ts';

const PATH = '/v1_0/requesttopay';

/** Returns the collection operations: the payer approves on the handset. */
export function collections(orders: Orders, market: Market, clock: Clock): Pick<Provider, 'submit' | 'read'> {
  return {
    submit: async (collection) => {
      const payer = partyOf(collection.payer);
      if (!payer) return { kind: 'refused', reason: 'invalid_number', message: 'not a number of an MTN MoMo wallet' };
      return submissionOf(await orders.create('collection', PATH, { ...orderOf(collection), particulars: { payer } }), market);
    },
    read: async (collection) => {
      const state = await orders.read('collection', PATH, collection.provider_key);
      return readingOf(state, nextPoll(POLLS, collection.submitted_at, clock.now()));
    },
  };
}

function orderOf({ provider_key, amount_minor, currency, description, callback_url }: Collection) {
  return { key: provider_key, amount_minor, currency, description, callback_url };
}

function submissionOf(creation: Creation, { ussd }: Market): Submission {
  switch (creation.kind) {
    case 'created': {
      const next = { kind: 'confirm', ...(ussd ? { hint: ussd } : {}) } as const;
      return { kind: 'accepted', provider_ref: null, next, poll_after_ms: POLLS.first_ms };
    }
    case 'exists':
      return { kind: 'duplicate' };
    case 'refused': {
      const { meaning, message } = creation;
      const reason = meaning.collect === 'cancelled' || meaning.collect === 'pending' ? 'operator_declined' : meaning.collect;
      return { kind: 'refused', reason, message };
    }
    case 'not_created':
      return { kind: 'unavailable', message: creation.message };
    case 'unclear':
      return { kind: 'unknown', message: creation.message };
    default:
      return unreachable(creation);
  }
}

function readingOf(state: State, poll_after_ms: number): Reading {
  switch (state.kind) {
    case 'pending':
      return { kind: 'pending', poll_after_ms };
    case 'failed':
      return failureOf(state, poll_after_ms);
    case 'succeeded':
    case 'not_found':
    case 'unreadable':
      return state;
    default:
      return unreachable(state);
  }
}

function failureOf({ meaning, message }: Extract<State, { kind: 'failed' }>, poll_after_ms: number): Reading {
  switch (meaning.collect) {
    case 'pending':
      return { kind: 'pending', poll_after_ms };
    case 'cancelled':
      return { kind: 'cancelled', reason: 'payer_declined', message };
    default:
      return { kind: 'failed', reason: meaning.collect, message };
  }
}
