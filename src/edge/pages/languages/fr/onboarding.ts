import type { OnboardingTexts } from '../../texts/onboarding.ts';

export const onboarding: OnboardingTexts = {
  name: 'Compte',
  email: 'E-mail',
  title: {
    pending: 'Nous vérifions vos informations',
    verified: 'Votre compte est vérifié',
    rejected: 'Votre compte n’a pas pu être vérifié',
    expired: 'Ce lien a expiré',
    unknown: 'Lien introuvable',
  },
  text: {
    pending:
      'Le marchand nous a transmis les informations ci-dessous. Si elles sont exactes, vous n’avez rien à faire : le résultat vous sera communiqué.',
    verified: 'Vous n’avez plus rien à faire.',
    rejected: 'Demandez au marchand qui vous a envoyé ce lien ce qui manque.',
    expired: 'Demandez-en un nouveau au marchand qui vous l’a envoyé.',
    unknown: 'Vérifiez que l’adresse est complète.',
  },
};
