import { must } from '../../src/kit/errors.ts';
import type { Costs } from '../../src/providers/provider-accounts/schema.ts';
import type { Collection, Offer, Payout, Payouts, Provider, Refund, Submission } from '../../src/providers/adapters/contract.ts';
import { channelById } from '../../src/providers/reference/channels.ts';
import { Ruleset } from '../../src/providers/routing/rules.ts';
import type { Account, HealthView, RouteRequest, RuleRow } from '../../src/providers/routing/schema.ts';

export const TEAM = 7n;

/** A clock that the test moves. */
export class TestClock {
  #now = Date.parse('2026-09-01T12:00:00Z');

  now(): number {
    return this.#now;
  }

  advance(ms: number): void {
    this.#now += ms;
  }
}

/** Nothing is known of anybody. */
export const NO_NEWS: HealthView = { look: () => null };

export const PAYOUTS: Payouts = {
  reaches: () => true,
  submit: async () => ({ kind: 'unknown', message: 'not asked for' }),
  read: async () => ({ kind: 'not_found' }),
};

/** A provider that answers what it is told to. */
export function providerOf(account_id: string, offers: readonly Offer[] | null, changes: Partial<Provider> = {}): Provider {
  return {
    name: 'simulator',
    account_id,
    capabilities: {
      idempotency: 'replays',
      readable_by: 'ours',
      polls: { first_ms: 1_000, factor: 2, max_ms: 60_000 },
      not_found_grace_ms: 60_000,
    },
    offers: () => offers,
    keyOf: (id) => id,
    submit: async () => ({ kind: 'unknown', message: 'not asked for' }),
    read: async () => ({ kind: 'not_found' }),
    payouts: PAYOUTS,
    ...changes,
  };
}

export function accountOf(name: string, offers: readonly Offer[] | null = null, costs: Costs | null = null): Account {
  return { provider: providerOf(`pa_${name}`, offers), name, costs };
}

export function offerOf(channel: string, currency: string, changes: Partial<Offer> = {}): Offer {
  return { channel, currency, operations: ['collect', 'payout'], min_minor: null, max_minor: null, step_minor: null, ...changes };
}

let made = 0;

export function ruleOf(changes: Partial<RuleRow>): RuleRow {
  made += 1;
  return {
    id: `rul_${String(made).padStart(6, '0')}`,
    team_id: TEAM,
    environment: 'live',
    priority: 10,
    operation: null,
    countries: [],
    channels: [],
    currencies: [],
    min_minor: null,
    max_minor: null,
    account_order: null,
    shares: null,
    least_cost: false,
    fallback: true,
    created_at: new Date(0),
    ...changes,
  };
}

export const rulesetOf = (...rows: Partial<RuleRow>[]) => new Ruleset(rows.map(ruleOf));

export function requestOf(changes: Partial<Omit<RouteRequest, 'channel'>> & { channel?: string } = {}): RouteRequest {
  const { channel = 'cm.mtn', ...rest } = changes;
  return {
    environment: 'live',
    team_id: TEAM,
    operation: 'collect',
    channel: must(channelById(channel), channel),
    currency: 'XAF',
    amount_minor: 500_000n,
    ...rest,
  };
}

export const SUBMISSIONS = {
  accepted: { kind: 'accepted', provider_ref: 'r', next: { kind: 'confirm' }, poll_after_ms: 1_000 },
  declined: { kind: 'refused', reason: 'insufficient_funds', message: 'no' },
  blamed: { kind: 'refused', reason: 'channel_unavailable', message: 'the operator is down' },
  unavailable: { kind: 'unavailable', message: 'connection refused' },
  unknown: { kind: 'unknown', message: 'timeout' },
} satisfies Record<string, Submission>;

const CHANNEL = { id: 'cm.mtn', kind: 'mobile_money', country: 'CM' } as const;
const MONEY = { amount_minor: 500_000n, currency: 'XAF', provider_key: 'key', provider_ref: null } as const;

export const COLLECTION: Collection = {
  attempt_id: 'att_1',
  ...MONEY,
  handle: null,
  channel: CHANNEL,
  payer: '+237650000000',
  description: 'order',
  return_url: 'https://shop.example/return',
  callback_url: 'https://pay.example/callback',
  submitted_at: null,
  expires_at: Date.parse('2026-09-02T12:00:00Z'),
};

export const PAYOUT: Payout = {
  transfer_id: 'po_1',
  ...MONEY,
  channel: CHANNEL,
  recipient: { name: 'Awa', phone: '+237650000000', account_number: null, bank_code: null },
  description: 'wages',
  callback_url: 'https://pay.example/callback',
  submitted_at: null,
};

export const REFUND: Refund = {
  refund_id: 'rfd_1',
  ...MONEY,
  collection: COLLECTION,
  callback_url: 'https://pay.example/callback',
  submitted_at: null,
};
