import type { Secrets } from '../../kit/crypto.ts';
import type { Db } from '../../kit/sql.ts';

/** The dependencies of signing in and of what people administer about each other. */
export interface PeopleDeps {
  /** Only `control`: people belong to no environment. */
  stores: { readonly control: Db };
  secrets: Secrets;
}

/** Origin of a person's request. */
export interface Origin {
  ip: string;
  agent: string;
  /** Secret in the browser's own cookie. */
  browser: string;
  request_id: string;
  /** Milliseconds since the epoch. */
  at: number;
  /** Of the page, for mails to people who chose none. */
  language: string;
}
