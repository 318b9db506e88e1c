import type { StartTexts } from '../../texts/start.ts';

export const start: StartTexts = {
  lead: 'Orchestrateur de paiements pour les marchés africains. Cette installation est en mode développement.',
  elsewhere: (address) => `Sur la machine elle-même, ${address} propose aussi un paiement de test et indique où sont les clés.`,
  try: 'Essayer un paiement',
  tryText: (amount) =>
    `Crée un paiement de test de ${amount} pour la boutique de démonstration et ouvre la page sur laquelle un payeur le règle. Aucun argent réel ne circule.`,
  button: 'Faire un paiement de test',
  numbers: (phone) =>
    `Payez avec le ${phone}. Les six derniers chiffres d’un numéro décident du résultat : 000001, solde insuffisant.`,
  next: 'Pour continuer',
  console: ['Console', 'paiements, remboursements et paramètres à l’écran'],
  reference: ['Référence de l’API', 'toutes les opérations, avec des exemples à essayer'],
  document: ['Document OpenAPI', 'pour les générateurs et autres outils'],
  health: ['État du service', 'bases de données et tâches de fond'],
  guides: ['Guides', 'accepter un paiement, webhooks, remboursements, virements, mise en production'],
  keys: 'Clés',
  keysText: 'Les clés d’API de l’équipe de démonstration sont dans ce fichier. Une clé secrète n’a sa place que sur un serveur.',
  publicKeys:
    'Une clé publique est visible de tous ceux qui ouvrent une de vos pages. Avant la mise en production, limitez-la au paiement :',
  language: 'Langue',
  expired: 'Le formulaire avait expiré. Rien n’a été créé : appuyez de nouveau sur le bouton.',
  crossSite: 'La demande venait d’un autre site. Rien n’a été créé.',
  busy: 'Trop de paiements de test en une minute. Rien n’a été créé : patientez un peu.',
  failed: 'Aucun paiement n’a été créé. Le journal du service en donne la raison.',
};
