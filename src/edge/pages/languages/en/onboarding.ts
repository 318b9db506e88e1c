import type { OnboardingTexts } from '../../texts/onboarding.ts';

export const onboarding: OnboardingTexts = {
  name: 'Account',
  email: 'E-mail',
  title: {
    pending: 'We are checking your details',
    verified: 'Your account is verified',
    rejected: 'Your account could not be verified',
    expired: 'This link has expired',
    unknown: 'Link not found',
  },
  text: {
    pending:
      'The merchant has sent us the details below. If they are correct, there is nothing to do: you will be informed of the result.',
    verified: 'There is nothing more to do.',
    rejected: 'Please ask the merchant who sent you this link what is missing.',
    expired: 'Please ask the merchant who sent it for a new one.',
    unknown: 'Check that the address is complete.',
  },
};
