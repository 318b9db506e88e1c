import type { Environment } from '../kit/environment.ts';
import type { Minor } from '../kit/money.ts';
import type { Costs } from '../provider-accounts/schema.ts';
import type { Provider } from '../providers/contract.ts';
import type { Channel } from '../reference/channels.ts';

export const OPERATIONS = ['collect', 'payout'] as const;

export type Operation = (typeof OPERATIONS)[number];

/** The account id of the provider that comes with the sandbox. */
export const BUILT_IN = 'sandbox';

/** What somebody is looked for. */
export interface RouteRequest {
  environment: Environment;
  team_id: bigint;
  operation: Operation;
  channel: Channel;
  currency: string;
  amount_minor: Minor;
}

/** An account of the team that may take something new. */
export interface Account {
  provider: Provider;
  /** What rules call it. */
  name: string;
  /** Null: not known. */
  costs: Costs | null;
}

/** In the order in which they were added; the built-in provider of the sandbox first. */
export interface ProvidersOfTeam {
  of(environment: Environment, team_id: bigint): Promise<Account[]>;
}

export interface Weight {
  name: string;
  /** A whole number above 0: its part of the sum of all weights. */
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

/** How well an account works on a channel: `down` means that its circuit is open. */
export type Standing = 'operational' | 'degraded' | 'down';

/** What was known of an account's health when it was looked at. */
export interface HealthNote {
  standing: Standing;
  /** Calls that were to start something, and how many of them failed, in the last ten minutes. */
  calls: number;
  failures: number;
  p95_ms: number | null;
  /** ISO 8601; since when nothing is sent but probes. */
  open_since?: string;
}

/** `open`: left out. `probe`: its circuit is open, and one call may go and see whether it works again. */
export type Gate = 'closed' | 'open' | 'probe';

/** What deciding needs to know of health, at one moment. */
export interface HealthView {
  /** @returns null when nothing was sent through it lately */
  look(account_id: string, channel_id: string, operation: Operation): { gate: Gate; note: HealthNote } | null;
}

/** What deciding may know of the money that accounts hold. */
export interface FloatView {
  /** Why the account is not known to have enough for this, in words; null when it may. */
  shortOf(account_id: string, request: RouteRequest, at: number): string | null;
}

/** Null: nothing is known, or not in time. */
export interface FloatsOfTeam {
  of(environment: Environment, team_id: bigint): Promise<FloatView | null>;
}

/** One account and what became of it. */
export interface Considered {
  name: string;
  /** Null: the rule names an account that is disabled or does not exist. */
  account_id: string | null;
  provider: string | null;
  verdict: 'chosen' | 'fallback' | 'left_out';
  /** Its turn, from 1; null when it was left out. */
  place: number | null;
  /** In words. */
  why: string;
  /** Null: nothing was sent through it lately, or it was left out before anyone looked. */
  health: HealthNote | null;
}

/** Why the candidates are those, as plain JSON: stored beside the attempt. */
export interface Explanation {
  /** ISO 8601. */
  at: string;
  operation: Operation;
  channel: string;
  currency: string;
  /** Major units. */
  amount: number;
  /** Null: none matched. */
  rule: { id: string; priority: number; summary: string } | null;
  by: 'order' | 'share' | 'least_cost' | 'added' | 'built_in';
  /** What the dice of a volume split showed, from 0 to below 1. */
  draw: number | null;
  /** First those that are tried, in that order, then those left out. */
  accounts: Considered[];
}

/** When it is decided, and what the dice show then: from 0 to below 1. */
export interface Moment {
  at: number;
  draw: number;
}

/** Who is tried, in that order, and why. */
export interface Decision {
  candidates: Provider[];
  explanation: Explanation;
}
