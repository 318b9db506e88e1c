/** What each kind of mail tells. Ids and the like only: no key, no secret, no address of a person. */
export interface MailFacts {
  /** A secret key came with Origin or Referer, so it stands in a page. */
  secret_key_in_browser: { key_id: string; last4: string };
  endpoint_deactivated: { webhook: string; host: string };
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
