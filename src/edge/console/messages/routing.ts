import { type BlockKind, explainRefusal, LIMITS, type Refusal } from '../../../core/abuse/rules.ts';
import { unreachable } from '../../../kit/errors.ts';
import { type Html, html } from '../../../kit/html.ts';
import { wireFromMinor } from '../../../kit/money.ts';
import { ENGLISH, explain, type RoutingWords } from '../../../providers/routing/explain.ts';
import type { Explanation } from '../../../providers/routing/schema.ts';
import type { ConsoleLanguage } from '../language.ts';
import { moment, number } from '../parts/format.ts';
import { type Pair, Translator } from './template.ts';

/** Reasons of the routing, about an account: they are stored with attempts and payouts as English text. */
export const ROUTING_REASONS: readonly Pair[] = [
  ['in the order in which accounts were added', 'dans l’ordre d’ajout des comptes'],
  ['it comes with the sandbox', 'il est fourni avec la sandbox'],
  ['number {place} in the rule', 'n° {place} dans la règle'],
  ['it takes {weight} in {sum}', 'sa part est de {weight} sur {sum}'],
  ['its cost is not known', 'son coût n’est pas connu'],
  ['it costs {amount}', 'il coûte {amount}'],
  ['the rule does not name it', 'la règle ne le nomme pas'],
  ['the rule allows no fallback', 'la règle n’autorise pas de compte de repli'],
  ['in the sandbox it takes only what a rule sends to it', 'en sandbox, il ne prend que ce qu’une règle lui envoie'],
  ['circuit open since {time}', 'disjoncteur ouvert depuis le {time}'],
  ['a probe: its circuit is open since {time}', 'essai : son disjoncteur est ouvert depuis le {time}'],
  ['float below amount ({amount} at {time})', 'solde chez le prestataire inférieur au montant ({amount} le {time})'],
  [
    'put last: float below amount ({amount} at {time})',
    'placé en dernier : solde chez le prestataire inférieur au montant ({amount} le {time})',
  ],
  ['it is disabled, or no account has this name', 'il est désactivé, ou aucun compte ne porte ce nom'],
  ['it does not pay out', 'il ne prend pas en charge les virements'],
  ['it does not offer {channel} in {currency}', 'il ne propose pas {channel} en {currency}'],
  ['it does not offer payouts on {channel} in {currency}', 'il ne propose pas de virements sur {channel} en {currency}'],
  ['{channel} is closed there at the moment', '{channel} y est fermé en ce moment'],
  ['amount below {amount}', 'montant inférieur à {amount}'],
  ['amount above {amount}', 'montant supérieur à {amount}'],
  ['amount not a multiple of {amount}', 'montant qui n’est pas un multiple de {amount}'],
];

const reasons = new Translator(ROUTING_REASONS);

/**
 * Returns the reasons of a choice of the provider for a page. Where one has no French (earlier versions stored others), all are English and marked
 * as English.
 */
export function sayRouting(language: ConsoleLanguage, explanation: Explanation): Html {
  const isFrench = language === 'fr' && explanation.accounts.every(({ why }) => frenchReason(why) !== null);
  const lines = explain(explanation, isFrench ? FRENCH : ENGLISH);
  return html`<ul class="reasons"${language === 'fr' && !isFrench && html` lang="en"`}>${lines.map((line) => html`<li>${line}</li>`)}</ul>`;
}

function frenchReason(why: string): string | null {
  const parts = why.split('; ').map((part) => reasons.french(part));
  return parts.some((part) => part === null) ? null : frenchFigures(parts.join('\u00A0; '));
}

/** An amount before its currency, and a percentage. */
const FIGURE = /(?<![\w.-])(\d{1,15}(?:\.\d{1,3})?) (?=[A-Z]{3}\b|%)/g;

/** Moments are stored to the millisecond. */
const MOMENT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;

/** Returns a sentence with its amounts, percentages and moments as French prints them. */
function frenchFigures(text: string): string {
  return text
    .replace(FIGURE, (_, figure: string) => `${number(Number(figure), 'fr')}\u00A0`)
    .replace(MOMENT, (at) => `${moment(at, 'fr')} UTC`);
}

const STANDINGS = { operational: 'opérationnel', degraded: 'dégradé', down: 'en panne' };

const FRENCH: RoutingWords = {
  heading: ({ operation, amount, currency, channel }) =>
    `${operation === 'payout' ? 'Virement' : 'Encaissement'} de ${frenchFigures(`${amount} ${currency}`)} sur ${channel}.`,
  builtIn: 'Aucune règle ne s’applique : en sandbox, le prestataire intégré prend ce qu’aucune règle n’envoie ailleurs.',
  added: 'Aucune règle ne s’applique : les comptes sont essayés dans l’ordre de leur ajout.',
  rule: ({ id, priority, summary }) => `La règle ${id} (priorité ${priority}) a décidé : ${frenchSummary(summary)}.`,
  draw: (draw) => ` Le tirage a donné ${String(draw).replace('.', ',')}.`,
  none: 'Aucun compte ne pouvait s’en charger.',
  chosen: (account) => `${account} a été choisi`,
  fallback: (account, place) => `${account} est le repli n° ${place}`,
  leftOut: (account) => `${account} a été écarté`,
  colon: ' : ',
  reason: (why) => frenchReason(why) ?? why,
  health: ({ standing, calls, failures, p95_ms }) => {
    const speed = p95_ms === null ? '' : `, 95 % des réponses en ${p95_ms} ms au plus`;
    return ` (${STANDINGS[standing]} : ${failures} échec${failures > 1 ? 's' : ''} sur ${calls} appel${calls > 1 ? 's' : ''} en dix minutes${speed})`;
  },
};

/** What a rule is about; `summaryOf` of the routing writes it. */
const SUMMARY =
  /^(everything|charges|payouts)(?: on ([\w.]+(?:, [\w.]+)*))?(?: of (\w+(?:, \w+)*))?(?: in (\w+(?:, \w+)*))?(?: from ([\d.]+))?(?: to ([\d.]+))?: /;
const SUBJECTS: Readonly<Record<string, string>> = { everything: 'tout', charges: 'encaissements', payouts: 'virements' };
const NO_FALLBACK = ', no fallback';

/** Returns the summary of a rule in French; as it is when it has another form. */
export function frenchSummary(summary: string): string {
  const found = SUMMARY.exec(summary);
  if (!found) return summary;
  const [all, subject = '', channels, countries, currencies, from, to] = found;
  const about = [
    SUBJECTS[subject],
    channels && `sur ${channels}`,
    countries && `de ${countries}`,
    currencies && `en ${currencies}`,
    from && `à partir de ${number(Number(from), 'fr')}`,
    to && `jusqu’à ${number(Number(to), 'fr')}`,
  ].filter(Boolean);
  const rest = summary.slice(all.length);
  const alone = rest.endsWith(NO_FALLBACK);
  const who = alone ? rest.slice(0, -NO_FALLBACK.length) : rest;
  const names = who === 'the cheapest' ? 'le moins cher' : frenchFigures(who.replaceAll(', then ', ', puis '));
  return `${about.join(' ')} : ${names}${alone ? ', sans repli' : ''}`;
}

const KINDS: Readonly<Record<BlockKind, string>> = {
  payer: 'le payeur',
  email: 'l’adresse e-mail',
  customer: 'le client',
  address: 'l’adresse réseau',
};

/** Returns why a charge was refused for suspicion of fraud. */
export function sayRefusal(language: ConsoleLanguage, refusal: Refusal): string {
  return language === 'en' ? explainRefusal(refusal) : frenchRefusal(refusal);
}

function frenchRefusal({ rule, figures }: Refusal): string {
  switch (rule) {
    case 'block':
      return `le blocage ${figures.block} vise ${KINDS[figures.kind]}`;
    case 'amount': {
      const [amount, high] = [figures.amount_minor, figures.high_minor].map((minor) => wireFromMinor(BigInt(minor)));
      return frenchFigures(
        `${amount} ${figures.currency} dépasse ${LIMITS.amount.times} fois ${high} ${figures.currency}, ` +
          `que 99 sur 100 des ${number(figures.payments, 'fr')} derniers paiements de l’équipe n’ont pas dépassés`,
      );
    }
    case 'payer_velocity':
      return `le payeur avait été débité ${figures.most} fois en ${figures.minutes} minutes, le maximum autorisé`;
    case 'team_velocity':
      return (
        `l’équipe avait effectué ${figures.most} débits en dix minutes, le maximum autorisé ` +
        `(${LIMITS.team.times} fois son maximum de la semaine précédente, ${figures.busiest}\u00A0; au moins ${LIMITS.team.floor})`
      );
    default:
      return unreachable(rule);
  }
}
