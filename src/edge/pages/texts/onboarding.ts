import type { Verification } from '../../../core/accounts/schema.ts';

/** State of an onboarding link, as its page shows it. */
export type OnboardingState = Verification | 'expired' | 'unknown';

/** Every text of the page behind the onboarding link of a connected account. */
export interface OnboardingTexts {
  name: string;
  email: string;
  title: Record<OnboardingState, string>;
  text: Record<OnboardingState, string>;
}
