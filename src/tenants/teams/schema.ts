export type Plan = 'starter' | 'growth' | 'scale' | 'unlimited';

export const PLANS: readonly Plan[] = ['starter', 'growth', 'scale', 'unlimited'];

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
  /** API version for requests that specify none. */
  api_version: string;
}
