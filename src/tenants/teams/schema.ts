export type Plan = 'starter' | 'growth' | 'scale' | 'unlimited';

export const PLANS: readonly Plan[] = ['starter', 'growth', 'scale', 'unlimited'];

/** Operations of a team's public keys: all that the contract allows, or only creating, charging and retrieving payments. */
export type PublicKeys = 'contract' | 'pay-only';

export const PUBLIC_KEYS: readonly PublicKeys[] = ['contract', 'pay-only'];

/** Details of a merchant on its invoices; null where it has not set them. */
export interface Seller {
  /** Postal address, one line for each of its lines. */
  address: string | null;
  /** Tax identification number, as the merchant writes it. */
  tax_id: string | null;
}

/** Appearance of a merchant's pages for payers; null where it has not chosen. */
export interface Brand {
  /** `#rrggbb`, in lower case. */
  brand_color: string | null;
}

/** Language of a merchant's pages and mails for payers. */
export interface PayerLanguage {
  /** Code such as `fr`, of the languages that the pages had when it was set; null: ours. */
  payer_language: string | null;
  /** True: for every payer. False: for those whose browser names no language of the pages. */
  payer_language_always: boolean;
}

/** A merchant, as stored in the control database. */
export interface Team {
  id: bigint;
  name: string;
  email: string;
  plan: Plan;
  /** 0: unverified; live payments are rejected with 402. */
  verification_level: number;
  default_currency: string;
  /** True: a reference already used by another payment is rejected with 409. */
  unique_references: boolean;
  /** True: on the hosted page, the payer can try a failed payment again that the API created. */
  hosted_retry: boolean;
  /** API version for requests that specify none. */
  api_version: string;
  public_keys: PublicKeys;
}
