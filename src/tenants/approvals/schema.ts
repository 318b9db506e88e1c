import type { Environment } from '../../kit/environment.ts';
import type { Minor } from '../../kit/money.ts';
import type { Permission } from '../people/roles.ts';

/** What waits for a second person. */
export type ApprovalKind = 'money' | 'account' | 'key' | 'person' | 'threshold';

export type Decision = 'approved' | 'rejected' | 'withdrawn';

/** How long an approval can be decided on, and after the decision, how long it can run. */
export const APPROVAL_MS = 3 * 86_400_000;

/** How long approvals are kept after they were asked for. */
export const APPROVALS_KEEP_MS = 400 * 86_400_000;

/** What a team's open approvals are limited to, in both environments together. */
export const MAX_WAITING = 100;

/** Whoever asks for much at once, such as a list of payouts, sends one mail in this time to each who may decide. */
export const ASKED_MAIL_MS = 60_000;

/** A movement of a currency above this amount needs a second person. */
export interface Threshold {
  currency: string;
  above_minor: Minor;
}

/** What was asked for, as it is stored encrypted. */
export interface Wanted {
  /** Parameters in the path of an operation of the API. */
  params?: Readonly<Record<string, string>>;
  /** Body of an operation of the API, or what an action of the console is about. */
  body: Readonly<Record<string, unknown>>;
  /** The saved recipient of a payout when it was asked for: a changed one is not paid. */
  payee?: Readonly<Record<string, unknown>>;
  /** Where the money of a subaccount went when a change of it was asked for: another one is not overwritten. */
  account?: Readonly<Record<string, unknown>>;
}

/** Whether it runs as an operation of the API when it is approved, as the second person. */
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
  /** What the role of whoever asks must permit. */
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
  /** Id of what was made. */
  result: string | null;
  /** Why it failed. */
  message: string | null;
}
