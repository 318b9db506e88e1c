import type { LinkTexts } from '../../texts/link.ts';

export const link: LinkTexts = {
  amount: 'Montant',
  range: (min, max) => (max === null ? `Au moins ${min}.` : `Entre ${min} et ${max}.`),
  fields: { name: 'Nom', email: 'E-mail', phone: 'Numéro de téléphone' },
  next: 'Continuer',
  nextHelp: 'Vous choisirez le moyen de paiement à la page suivante. Rien ne sera débité avant.',
  closed: {
    inactive: { title: 'Ce lien est désactivé', text: 'Le marchand ne reçoit pas de paiements par ce lien pour le moment.' },
    expired: { title: 'Ce lien a expiré', text: 'Le délai de paiement est dépassé. Demandez un nouveau lien au marchand.' },
    used: {
      title: 'Ce lien a déjà servi',
      text: 'Le nombre de paiements prévu est atteint. Demandez un nouveau lien au marchand.',
    },
    full: {
      title: 'Quelqu’un d’autre est en train de payer',
      text: 'D’autres paiements sont en cours avec ce lien. Si l’un d’eux n’aboutit pas, le lien se rouvrira : réessayez dans quelques minutes.',
    },
    unverified: {
      title: 'Ce marchand ne peut pas encore recevoir de paiements',
      text: 'Rien n’a été débité. Demandez au marchand un autre moyen de paiement.',
    },
    unknown: { title: 'Lien introuvable', text: 'Vérifiez que l’adresse est complète, ou demandez un nouveau lien au marchand.' },
  },
  busy: 'Trop de tentatives. Attendez une minute, puis réessayez.',
  errors: {
    amount: 'Saisissez un montant, par exemple 5000.',
    decimals: 'Saisissez un montant entier.',
    name: 'Saisissez votre nom.',
    email: 'Cette adresse e-mail n’est pas valide.',
    phone: 'Ce numéro de téléphone n’est pas complet. Vous pouvez aussi commencer par + et l’indicatif du pays.',
    phoneCountry: 'Ce numéro existe dans plusieurs pays. Saisissez-le avec + et l’indicatif de votre pays.',
    form: 'La page est restée ouverte trop longtemps ou votre navigateur refuse les cookies. Veuillez réessayer.',
    repriced: 'Le marchand a modifié le montant de ce lien. Vérifiez-le, puis réessayez.',
    ceiling: 'Le marchand ne peut pas recevoir ce montant en un seul paiement.',
    refused: 'Le marchand ne peut pas recevoir ce paiement. Demandez-lui un autre moyen de paiement.',
  },
};
