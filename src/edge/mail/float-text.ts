import type { Environment } from '../../kit/environment.ts';
import { wireFromMinor } from '../../kit/money.ts';
import type { FloatFacts } from '../../tenants/outbox/schema.ts';
import { FRENCH_ENVIRONMENTS } from './environments.ts';
import type { Languages } from './texts.ts';

/** Text: a provider account is running out of money for payouts. */
export function floatLow({ account, provider, name, level, purses }: FloatFacts, environment: Environment): Languages {
  const lines = (below: string, colon: string) =>
    purses.map(({ currency, area, amount_minor, below_minor }) => {
      const [held, alert] = [amount_minor, below_minor].map((minor) => wireFromMinor(BigInt(minor)));
      return `- ${currency}${area ? ` (${area})` : ''}${colon} ${held} ${currency} (${below} ${alert} ${currency})`;
    });
  const empty = level === 'empty';
  return {
    fr: {
      subject: empty ? `Le compte ${name} est vide` : `Le solde du compte ${name} est bas`,
      text: `Votre compte ${name} (${provider}, ${account}, ${FRENCH_ENVIRONMENTS[environment]}) ${empty ? 'n’a plus de fonds' : 'n’a plus que peu de fonds'} pour les virements :

${lines('alerte au-dessous de', ' :').join('\n')}

Approvisionnez-le chez ${provider}. En attendant, les virements passent d’abord par vos autres comptes.

Nous envoyons ce message au plus une fois par heure pour chaque compte et chaque niveau.`,
    },
    en: {
      subject: empty ? `The account ${name} is empty` : `The float of the account ${name} is low`,
      text: `Your account ${name} (${provider}, ${account}, ${environment} environment) has ${empty ? 'no money left' : 'little money left'} for payouts:

${lines('alert below', ':').join('\n')}

Top it up at ${provider}. Until then payouts go to your other accounts first.

We send this message at most once an hour for each account and level.`,
    },
  };
}
