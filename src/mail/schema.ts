/** What each kind of mail tells. Ids and the like only: no key, no secret, no address and no name of a person. */
export interface MailFacts {
  /** A secret key came with Origin or Referer, so it stands in a page. */
  secret_key_in_browser: { key_id: string; last4: string };
  endpoint_deactivated: { webhook: string; host: string };
  /** So many deliveries wait for the endpoint that no more are queued. Minutes in UTC, as `2026-11-22 13:05`. */
  endpoint_backlog_full: { webhook: string; host: string; limit: number; since: string };
  /** They are queued again: which events were not queued in between. */
  endpoint_backlog_over: { webhook: string; host: string; since: string; until: string };
  /** What an account at a provider holds has fallen below what somebody wants to be told of. */
  float_low: FloatFacts;
  /** Its recipient was erased after it was tried: what it left behind goes too. */
  dropped: Record<string, never>;
  /** To the customer of an invoice, in the team's name. */
  invoice: InvoiceFacts;
  /** To the payer, in the team's name: the payment has succeeded. */
  receipt: ReceiptMailFacts;
}

export interface FloatFacts {
  /** `pa_…` */
  account: string;
  provider: string;
  /** What rules call the account. */
  name: string;
  level: 'low' | 'empty';
  /** In hundredths. */
  purses: { currency: string; area: string; amount_minor: string; below_minor: string }[];
}

export interface InvoiceFacts {
  number: string;
  /** Where it is read and paid. */
  url: string;
  /** What is still to be paid, in hundredths. */
  due_minor: string;
  currency: string;
  /** A UTC day, YYYY-MM-DD. */
  due_date: string | null;
  /** Null: both languages. */
  locale: 'en' | 'fr' | null;
  reminder: boolean;
}

export interface ReceiptMailFacts {
  /** Its page is found by it when the text is written. */
  payment: string;
  /** What the payer was charged, in hundredths. */
  total_minor: string;
  currency: string;
  reference: string | null;
  /** ISO 8601. */
  paid_at: string;
  channel: string | null;
  /** Null: both languages. */
  locale: 'en' | 'fr' | null;
}

export type MailKind = keyof MailFacts;

/** A mail to be written. */
export interface NewMail<Kind extends MailKind = MailKind> {
  team_id: bigint;
  kind: Kind;
  facts: MailFacts[Kind];
  /** Left out: the owner of the team. */
  recipient?: string;
}

/** A row of mails that is ours to send. */
export type MailRow = { [Kind in MailKind]: { kind: Kind; facts: MailFacts[Kind] } }[MailKind] & {
  team_id: bigint;
  id: string;
  recipient: string | null;
  /** With this one. */
  tries: number;
  created_at: Date;
  age_ms: number;
};

/** One that is still to reach somebody. */
export type MailToSend = Exclude<MailRow, { kind: 'dropped' }>;
