import type { Secrets } from '../../kit/crypto.ts';

/** The dependencies of beneficiaries. */
export interface BeneficiaryDeps {
  secrets: Secrets;
}
