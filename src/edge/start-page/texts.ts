import type { Language } from '../pages/language.ts';

/** Texts of the start page. What only operators of this machine read is as short as it can be. */
export interface StartTexts {
  lead: string;
  /** Shown to those who open a service in development from elsewhere. */
  elsewhere: (address: string) => string;
  try: string;
  tryText: (amount: string) => string;
  button: string;
  numbers: (phone: string) => string;
  next: string;
  console: [name: string, holds: string];
  reference: [name: string, holds: string];
  document: [name: string, holds: string];
  health: [name: string, holds: string];
  guides: [name: string, holds: string];
  keys: string;
  keysText: string;
  publicKeys: string;
  language: string;
  expired: string;
  crossSite: string;
  busy: string;
  failed: string;
}

const en: StartTexts = {
  lead: 'Payment orchestrator for African markets. This installation runs in development.',
  elsewhere: (address) => `On the machine itself, ${address} also offers a test payment and shows where the keys are.`,
  try: 'Try a payment',
  tryText: (amount) =>
    `Creates a sandbox payment of ${amount} for the demo shop and opens the page on which a payer pays it. No real money moves.`,
  button: 'Make a test payment',
  numbers: (phone) => `Pay with ${phone}. The last six digits of a number decide the outcome: 000001 has insufficient funds.`,
  next: 'Where to go',
  console: ['Console', 'payments, refunds and settings on screen'],
  reference: ['API reference', 'every operation, with examples to try'],
  document: ['OpenAPI document', 'for generators and other tools'],
  health: ['Health', 'state of the databases and workers'],
  guides: ['Guides', 'accept a payment, webhooks, refunds, payouts, going live'],
  keys: 'Keys',
  keysText: 'The API keys of the demo team are in this file. A secret key belongs on a server only.',
  publicKeys: 'A public key is visible to everyone who opens a page of yours. Before going live, restrict it to paying:',
  language: 'Language',
  expired: 'The form had expired. Nothing was created: press the button again.',
  crossSite: 'The request came from another site. Nothing was created.',
  busy: 'Too many test payments in a minute. Nothing was created: wait a little.',
  failed: 'No payment was created. The log of the service says why.',
};

const fr: StartTexts = {
  lead: 'Orchestrateur de paiements pour les marchés africains. Cette installation est en mode développement.',
  elsewhere: (address) => `Sur la machine elle-même, ${address} propose aussi un paiement de test et indique où sont les clés.`,
  try: 'Essayer un paiement',
  tryText: (amount) =>
    `Crée un paiement de test de ${amount} pour la boutique de démonstration et ouvre la page sur laquelle le client paie. Aucun argent réel ne circule.`,
  button: 'Faire un paiement de test',
  numbers: (phone) =>
    `Payez avec le ${phone}. Les six derniers chiffres d’un numéro décident du résultat : 000001, solde insuffisant.`,
  next: 'Pour continuer',
  console: ['Console', 'paiements, remboursements et réglages à l’écran'],
  reference: ['Référence de l’API', 'toutes les opérations, avec des exemples à essayer'],
  document: ['Document OpenAPI', 'pour les générateurs et autres outils'],
  health: ['État du service', 'bases de données et tâches de fond'],
  guides: ['Guides', 'accepter un paiement, webhooks, remboursements, versements, mise en production'],
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

const pt: StartTexts = {
  lead: 'Orquestrador de pagamentos para os mercados africanos. Esta instalação está em modo de desenvolvimento.',
  elsewhere: (address) => `Na própria máquina, ${address} oferece também um pagamento de teste e indica onde estão as chaves.`,
  try: 'Experimentar um pagamento',
  tryText: (amount) =>
    `Cria um pagamento de teste de ${amount} para a loja de demonstração e abre a página em que o cliente paga. Não circula dinheiro real.`,
  button: 'Fazer um pagamento de teste',
  numbers: (phone) =>
    `Pague com o ${phone}. Os últimos seis dígitos de um número decidem o resultado: 000001, saldo insuficiente.`,
  next: 'Para continuar',
  console: ['Consola', 'pagamentos, reembolsos e definições no ecrã'],
  reference: ['Referência da API', 'todas as operações, com exemplos para experimentar'],
  document: ['Documento OpenAPI', 'para geradores e outras ferramentas'],
  health: ['Estado do serviço', 'bases de dados e tarefas em segundo plano'],
  guides: ['Guias', 'aceitar um pagamento, webhooks, reembolsos, transferências, entrada em produção'],
  keys: 'Chaves',
  keysText: 'As chaves de API da equipa de demonstração estão neste ficheiro. Uma chave secreta só deve estar num servidor.',
  publicKeys:
    'Uma chave pública é visível para todos os que abrem uma página sua. Antes da entrada em produção, limite-a ao pagamento:',
  language: 'Idioma',
  expired: 'O formulário tinha expirado. Nada foi criado: prima de novo o botão.',
  crossSite: 'O pedido veio de outro site. Nada foi criado.',
  busy: 'Demasiados pagamentos de teste num minuto. Nada foi criado: aguarde um pouco.',
  failed: 'Nenhum pagamento foi criado. O registo do serviço indica o motivo.',
};

export const START_TEXTS: Record<Language, StartTexts> = { en, fr, pt };
