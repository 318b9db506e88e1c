import type { Environment } from '../../kit/environment.ts';
import type { Minor } from '../../kit/money.ts';
import type { Costs } from '../provider-accounts/schema.ts';
import type { Offer, Provider } from '../adapters/contract.ts';
import type { Channel } from '../reference/channels.ts';

export const OPERATIONS = ['collect', 'payout'] as const;

export type Operation = (typeof OPERATIONS)[number];

/** The account id of the sandbox's built-in provider. */
export const BUILT_IN = 'sandbox';

/** A request to be routed. */
export interface RouteRequest {
  environment: Environment;
  team_id: bigint;
  operation: Operation;
  channel: Channel;
  currency: string;
  amount_minor: Minor;
  /** Amount still to collect, when this charge is a tranche of it. Accounts that cannot accept the last tranche are excluded. */
  whole_minor?: Minor;
  /** False: the call is sent later, after another decision. This one reserves no probe. */
  sends?: boolean;
}

/** An account of the team that may accept new operations. */
export interface Account {
  provider: Provider;
  /** The account's name, used in routing rules. */
  name: string;
  /** Null: unknown. */
  costs: Costs | null;
}

/** The accounts of teams. */
export interface ProvidersOfTeam {
  /** Returns accounts in the order in which they were added, the sandbox's built-in provider first. */
  of(environment: Environment, team_id: bigint): Promise<Account[]>;
  /** Returns whether an active account of the team, which is not listed, cannot currently be used by this process. When omitted, never. */
  anyUnusable?(environment: Environment, team_id: bigint): Promise<boolean>;
}

export interface Weight {
  name: string;
  /** A whole number above 0: the account's share is this part of the sum of all weights. */
  weight: number;
}

/** A row of routing_rules. */
export interface RuleRow {
  id: string;
  team_id: bigint;
  environment: Environment;
  priority: number;
  operation: Operation | null;
  countries: string[];
  channels: string[];
  currencies: string[];
  min_minor: bigint | null;
  max_minor: bigint | null;
  account_order: string[] | null;
  shares: Weight[] | null;
  least_cost: boolean;
  fallback: boolean;
  created_at: Date;
}

/** Health of an account on a channel. `down` means that its circuit is open. */
export type Standing = 'operational' | 'degraded' | 'down';

/** Snapshot of an account's health at the time of the decision. */
export interface HealthNote {
  standing: Standing;
  /** Submissions in the last ten minutes, and how many of them failed. */
  calls: number;
  failures: number;
  p95_ms: number | null;
  /** ISO 8601. The time since which only probes are sent. */
  open_since?: string;
}

/** `open`: excluded. `probe`: the circuit is open, and one call may test whether the account works again. */
export type Gate = 'closed' | 'open' | 'probe';

/** The account health available to a decision, at one time. */
export interface HealthView {
  /**
   * Returns the health of an account.
   * @returns null when no recent call went through it
   */
  look(account_id: string, channel_id: string, operation: Operation): { gate: Gate; note: HealthNote } | null;
}

/** The float balances available to a decision. */
export interface FloatView {
  /** Returns the reason why the account's float is known to be insufficient, or null. */
  shortOf(account_id: string, request: RouteRequest, at: number): string | null;
}

/** Returns the known floats of a team. Null: unknown, or not available in time. */
export interface FloatsOfTeam {
  of(environment: Environment, team_id: bigint): Promise<FloatView | null>;
}

/** One account considered by a decision, with the result. */
export interface Considered {
  name: string;
  /** Null: the rule names an account that is disabled or does not exist. */
  account_id: string | null;
  provider: string | null;
  verdict: 'chosen' | 'fallback' | 'left_out';
  /** Position in the order of attempts, from 1; null when it was excluded. */
  place: number | null;
  /** The reason, as text. */
  why: string;
  /** Null: no recent call went through it, or it was excluded before its health was read. */
  health: HealthNote | null;
}

/** The reasons of a decision, as plain JSON. It is stored with the attempt. */
export interface Explanation {
  /** ISO 8601. */
  at: string;
  operation: Operation;
  channel: string;
  currency: string;
  /** Major units. */
  amount: number;
  /** Null: no rule matched. */
  rule: { id: string; priority: number; summary: string } | null;
  by: 'order' | 'share' | 'least_cost' | 'added' | 'built_in';
  /** The random draw of a volume split, from 0 to below 1. */
  draw: number | null;
  /** The accounts to be tried, in that order, followed by the excluded ones. */
  accounts: Considered[];
}

/** The time of the decision in milliseconds since the epoch, and the random draw, from 0 to below 1. */
export interface Moment {
  at: number;
  draw: number;
}

/** The accounts to be tried, in that order, and the reasons. */
export interface Decision {
  candidates: Provider[];
  explanation: Explanation;
  /** Offers of the accounts with the channel when only the amount excludes all of them. Otherwise empty. */
  limits: readonly Offer[];
  /** Whether an account is excluded for a temporary reason: its circuit is open, or its operator is closed at the moment. */
  waits: boolean;
}

/** A decision about the accounts of a team. */
export interface Choice extends Decision {
  /** Whether no account can ever take the amount: `limits` has offers, and the team has no other account that this process cannot use now. */
  is_final: boolean;
}
