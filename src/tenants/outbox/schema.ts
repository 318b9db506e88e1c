/** Retention of mails that were sent or given up: they contain addresses of recipients. */
export const MAILS_KEEP_MS = 30 * 86_400_000;

/** Data stored per kind of mail: no key, no secret, and no address or name of a person. */
export interface MailFacts {
  /** A secret key was sent with Origin or Referer, so it is exposed in a page. */
  secret_key_in_browser: { key_id: string; last4: string };
  /** Mails of earlier releases have no `days`: their limit was five. */
  endpoint_deactivated: { webhook: string; host: string; days?: number };
  /** The endpoint's backlog reached its limit, and no more deliveries are queued. Minutes in UTC, as `2026-11-22 13:05`. */
  endpoint_backlog_full: { webhook: string; host: string; limit: number; since: string };
  /** Queueing has resumed; the interval in which events were not queued. */
  endpoint_backlog_over: { webhook: string; host: string; since: string; until: string };
  /** The balance of a provider account has fallen below its alert threshold. */
  float_low: FloatFacts;
  /** The recipient was erased after an attempt; the local copy of the mail has to be deleted too. */
  dropped: Record<string, never>;
  /** Mail to the customer of an invoice, in the team's name. */
  invoice: InvoiceFacts;
  /** Receipt to the payer of a successful payment, in the team's name. */
  receipt: ReceiptMailFacts;
}

export interface FloatFacts {
  /** Id of the provider account (`pa_…`). */
  account: string;
  provider: string;
  /** Name of the account in routing rules. */
  name: string;
  level: 'low' | 'empty';
  /** Wallets of the account. Amounts are in hundredths. */
  purses: { currency: string; area: string; amount_minor: string; below_minor: string }[];
}

export interface InvoiceFacts {
  /** Id of the invoice, which is read again when the mail is sent. Absent in mails that the previous release queued. */
  invoice?: string;
  number: string;
  /** URL of the invoice page. */
  url: string;
  /** Amount that was due when the mail was queued, in hundredths. */
  due_minor: string;
  currency: string;
  /** A UTC day, YYYY-MM-DD. */
  due_date: string | null;
  /** Language that the merchant set; null: chosen by the country. */
  locale: string | null;
  reminder: boolean;
}

export interface ReceiptMailFacts {
  /** Id of the payment. The URL of its page is derived from it when the text is written. */
  payment: string;
  /** Amount charged to the payer, in hundredths. */
  total_minor: string;
  currency: string;
  reference: string | null;
  /** ISO 8601. */
  paid_at: string;
  channel: string | null;
  /** Language that the merchant set; null: chosen by the country. */
  locale: string | null;
}

export type MailKind = keyof MailFacts;

/** A mail to be queued. */
export interface NewMail<Kind extends MailKind = MailKind> {
  team_id: bigint;
  kind: Kind;
  facts: MailFacts[Kind];
  /** Default: the owner of the team. */
  recipient?: string;
}

/** A claimed row of `mails`. */
export type MailRow = { [Kind in MailKind]: { kind: Kind; facts: MailFacts[Kind] } }[MailKind] & {
  team_id: bigint;
  id: string;
  recipient: string | null;
  /** Number of attempts, including this one. */
  tries: number;
  created_at: Date;
  age_ms: number;
};

/** A mail that still has to be sent. */
export type MailToSend = Exclude<MailRow, { kind: 'dropped' }>;
