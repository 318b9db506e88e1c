import type { Environment } from '../../kit/environment.ts';
import type { Minor } from '../../kit/money.ts';
import type { Permission, Role } from '../people/roles.ts';

/** Kind of action that needs the approval of a second person. */
export type ApprovalKind = 'money' | 'account' | 'key' | 'person' | 'threshold';

export type Decision = 'approved' | 'rejected' | 'withdrawn';

/** How long an approval can be decided on, and after the decision, how long it can run. */
export const APPROVAL_MS = 3 * 86_400_000;

/** Retention of approvals, from the time of the request. */
export const APPROVALS_KEEP_MS = 400 * 86_400_000;

/** Maximum number of open approvals of a team in one environment. */
export const MAX_WAITING = 100;

/** Minimum time between two mails about the requests of one person to an approver, for example about a list of payouts. */
export const ASKED_MAIL_MS = 60_000;

/** A movement of a currency above this amount needs a second person. */
export interface Threshold {
  currency: string;
  above_minor: Minor;
}

/** Content of a request for approval, stored encrypted. */
export interface Wanted {
  /** Parameters in the path of an operation of the API. */
  params?: Readonly<Record<string, string>>;
  /** Body of an operation of the API, or the data of an action of the console. */
  body: Readonly<Record<string, unknown>>;
  /** The saved recipient of a payout at the time of the request. A changed one is not paid. */
  payee?: Readonly<Record<string, unknown>>;
  /** The destination of a subaccount's money at the time of the request. A destination that has changed since is not overwritten. */
  account?: Readonly<Record<string, unknown>>;
  /** When the membership of the person began, in milliseconds since the epoch, at the time of the request. A later membership is not changed. */
  joined_at?: number | null;
  /** The role of the person at the time of the request. A role that was given since is not replaced. */
  role?: Role;
  /** The latest invitation to the address at the time of the request; null: none. A later one to another role is not replaced. */
  invitation?: string | null;
  /** The threshold of the currency in its minor unit at the time of the request; null: none. One that was set since is not replaced. */
  threshold?: string | null;
  /** How often that role or threshold, or the key that is to be activated, had been changed at the time of the request. */
  changes?: number;
}

/** Returns whether the approved request runs as an operation of the API, in the name of the second person. */
export function isOperation({ kind }: Pick<ApprovalRow, 'kind'>): boolean {
  return kind === 'money' || kind === 'account';
}

/** A row of `approvals`. */
export interface ApprovalRow {
  id: string;
  team_id: bigint;
  environment: Environment;
  kind: ApprovalKind;
  /** Operation of the API such as `POST /refunds`, or an action of the console such as `person.role`. */
  operation: string;
  /** Permission that the requester's role must have. */
  permission: Permission;
  form_key: string;
  body_sealed: string;
  /** Null for everything but money. */
  amount_minor: Minor | null;
  currency: string | null;
  asked_by: string;
  asked_at: Date;
  expires_at: Date;
  /** Whether `expires_at` is over, by the clock of the database. */
  over: boolean;
  decision: Decision | null;
  decided_by: string | null;
  decided_at: Date | null;
  done_at: Date | null;
  outcome: 'done' | 'failed' | null;
  /** Id of the created object. */
  result: string | null;
  /** Why it failed. */
  message: string | null;
}
