import type { LinkTexts } from '../../texts/link.ts';

export const link: LinkTexts = {
  amount: 'Montante',
  range: (min, max) => (max === null ? `No mínimo ${min}.` : `Entre ${min} e ${max}.`),
  fields: { name: 'Nome', email: 'E-mail', phone: 'Número de telefone' },
  next: 'Continuar',
  nextHelp: 'Na página seguinte escolhe como pagar. Antes disso, nada é debitado.',
  closed: {
    inactive: {
      title: 'Este link está desactivado',
      text: 'De momento, o comerciante não recebe pagamentos através deste link.',
    },
    expired: { title: 'Este link expirou', text: 'O prazo de pagamento terminou. Peça um novo link ao comerciante.' },
    used: {
      title: 'Este link já foi utilizado',
      text: 'O número de pagamentos previsto foi atingido. Peça um novo link ao comerciante.',
    },
    full: {
      title: 'Outra pessoa está a pagar',
      text: 'Todos os lugares estão ocupados por pagamentos em curso. Se algum não for concluído, o link volta a abrir: tente novamente dentro de alguns minutos.',
    },
    unverified: {
      title: 'Este comerciante ainda não pode receber pagamentos',
      text: 'Nada foi debitado. Peça ao comerciante outro meio de pagamento.',
    },
    unknown: { title: 'Link não encontrado', text: 'Verifique se o endereço está completo ou peça um novo link ao comerciante.' },
  },
  busy: 'Demasiadas tentativas. Aguarde um minuto e envie novamente.',
  errors: {
    amount: 'Introduza um montante, por exemplo 5000.',
    decimals: 'Introduza um montante sem casas decimais.',
    name: 'Introduza o seu nome.',
    email: 'Este endereço de e-mail não é válido.',
    phone: 'Este número de telefone não está completo. Também pode começar por + e o indicativo do país.',
    phoneCountry: 'Este número existe em vários países. Introduza-o com + e o indicativo do seu país.',
    form: 'A página esteve aberta demasiado tempo ou o seu navegador recusa cookies. Tente novamente.',
    repriced: 'O comerciante alterou o montante deste link. Verifique-o e tente novamente.',
    ceiling: 'O comerciante não pode receber este montante num só pagamento.',
    refused: 'O comerciante não pode receber este pagamento. Peça-lhe outro meio de pagamento.',
  },
};
