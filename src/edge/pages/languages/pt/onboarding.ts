import type { OnboardingTexts } from '../../texts/onboarding.ts';

export const onboarding: OnboardingTexts = {
  name: 'Conta',
  email: 'E-mail',
  title: {
    pending: 'Estamos a verificar os seus dados',
    verified: 'A sua conta está verificada',
    rejected: 'Não foi possível verificar a sua conta',
    expired: 'Este link expirou',
    unknown: 'Link não encontrado',
  },
  text: {
    pending:
      'O comerciante enviou-nos os dados abaixo. Se estiverem correctos, não precisa de fazer nada: o resultado ser-lhe-á comunicado.',
    verified: 'Não precisa de fazer mais nada.',
    rejected: 'Pergunte ao comerciante que lhe enviou este link o que falta.',
    expired: 'Peça um novo ao comerciante que lho enviou.',
    unknown: 'Verifique se o endereço está completo.',
  },
};
