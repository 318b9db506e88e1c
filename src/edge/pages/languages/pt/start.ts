import type { StartTexts } from '../../texts/start.ts';

export const start: StartTexts = {
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
