import type { MailTexts } from '../../texts/mails.ts';

export const mails: MailTexts = {
  below: '(Versão portuguesa abaixo)',
  invoice: ({ merchant, number, amount, due, url, reminder }) => ({
    subject: `${reminder ? 'Lembrete: factura' : 'Factura'} ${number} de ${merchant}`,
    text: `Bom dia,

${reminder ? `A factura ${number} de ${merchant} ainda não foi paga.` : `${merchant} enviou-lhe a factura ${number}.`}
Montante a pagar${due === null ? '' : ` até ${due}`}: ${amount}

Consultar e pagar a factura:
${url}

Se não esperava esta factura, ignore esta mensagem: nada é pago sem a sua confirmação.
`,
  }),
  receipt: ({ merchant, amount, date, reference, payment, url }) => ({
    subject: `O seu comprovativo de ${merchant}`,
    text: `Bom dia,

Pagou ${amount} a ${merchant}.

Data: ${date}
${reference === null ? '' : `Referência: ${reference}\n`}Transacção: ${payment}

Consultar, imprimir ou descarregar o comprovativo:
${url}

Esta mensagem foi enviada automaticamente. Para qualquer questão sobre a sua compra, contacte ${merchant}.
`,
  }),
};
