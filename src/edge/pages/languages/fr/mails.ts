import type { MailTexts } from '../../texts/mails.ts';

export const mails: MailTexts = {
  below: '(Version française ci-dessous)',
  invoice: ({ merchant, number, amount, due, url, reminder }) => ({
    subject: `${reminder ? 'Rappel : facture' : 'Facture'} ${number} de ${merchant}`,
    text: `Bonjour,

${reminder ? `La facture ${number} de ${merchant} n’est pas encore réglée.` : `${merchant} vous envoie la facture ${number}.`}
Montant à payer${due === null ? '' : ` au plus tard le ${due}`} : ${amount}

Consulter et payer la facture :
${url}

Si vous n’attendiez pas cette facture, ignorez ce message : rien n’est payé tant que vous ne l’avez pas confirmé.
`,
  }),
  receipt: ({ merchant, amount, date, reference, payment, url }) => ({
    subject: `Votre reçu de ${merchant}`,
    text: `Bonjour,

Vous avez payé ${amount} à ${merchant}.

Date : ${date}
${reference === null ? '' : `Référence : ${reference}\n`}Transaction : ${payment}

Consulter, imprimer ou télécharger le reçu :
${url}

Ce message est envoyé automatiquement. Pour toute question sur votre achat, adressez-vous à ${merchant}.
`,
  }),
};
