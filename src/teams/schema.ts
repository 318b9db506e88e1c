export type Plan = 'starter' | 'growth' | 'scale' | 'unlimited';

export const PLANS: readonly Plan[] = ['starter', 'growth', 'scale', 'unlimited'];

/** A merchant, as the control database holds it. */
export interface Team {
  id: bigint;
  name: string;
  email: string;
  plan: Plan;
  /** 0 is unverified: live payments answer 402. */
  verification_level: number;
  default_currency: string;
  /** On: a reference that another payment has is refused with 409. */
  unique_references: boolean;
  /** Version of the API this team gets when a request names none. */
  api_version: string;
}
