import { entryOf } from '../../../kit/entry-of.ts';

/** A message of the API and its French. A place such as `{amount}` stands for a value, which is kept; {@link STATUSES} are translated. */
export type Pair = readonly [english: string, french: string];

/** Longer messages are not compared: none of ours is. */
const MAX_LENGTH = 2_000;

const PLACE = /\{(\w+)\}/;

/** What stands in the place `{status}`, of payments, refunds, disputes and invoices: after a colon, where it has no gender. */
const STATUSES: Readonly<Record<string, string>> = {
  pending: 'en attente',
  processing: 'en cours',
  partial: 'payé en partie',
  succeeded: 'réussi',
  failed: 'échoué',
  cancelled: 'annulé',
  expired: 'expiré',
  refunded: 'remboursé',
  partially_refunded: 'remboursé en partie',
  draft: 'brouillon',
  sent: 'envoyé',
  viewed: 'consulté',
  paid: 'payé',
  overdue: 'en retard',
  needs_response: 'réponse attendue',
  under_review: 'en cours d’examen',
  won: 'gagné',
  lost: 'perdu',
  closed: 'retiré',
};

interface Template {
  /** Texts between the places: one more than there are places. */
  literals: readonly string[];
  names: readonly string[];
  french: string;
}

/** Translates messages by templates. The one with the most text of its own that fits is taken. */
export class Translator {
  readonly #whole: ReadonlyMap<string, string>;
  readonly #templates: readonly Template[];

  constructor(pairs: readonly Pair[]) {
    this.#whole = new Map(pairs.filter(([english]) => !PLACE.test(english)));
    const own = ({ literals }: Template) => literals.join('').length;
    this.#templates = pairs
      .filter(([english]) => PLACE.test(english))
      .map(templateOf)
      .sort((a, b) => own(b) - own(a));
  }

  /** Returns the French of a message; null when there is none. */
  french(message: string): string | null {
    const whole = this.#whole.get(message);
    if (whole !== undefined || message.length > MAX_LENGTH) return whole ?? null;
    for (const template of this.#templates) {
      const values = valuesIn(message, template);
      if (values) return filled(template, values);
    }
    return null;
  }
}

function templateOf([english, french]: Pair): Template {
  const parts = english.split(PLACE);
  return { literals: parts.filter((_, i) => i % 2 === 0), names: parts.filter((_, i) => i % 2 === 1), french };
}

/** Returns what stands in the places, each up to the next text of the template: linear in the message, whatever it holds. */
function valuesIn(message: string, { literals }: Template): string[] | null {
  const [first = '', ...others] = literals;
  if (!message.startsWith(first)) return null;
  const values: string[] = [];
  let at = first.length;
  for (const [i, literal] of others.entries()) {
    const isLast = i === others.length - 1;
    const end = isLast ? message.length - literal.length : message.indexOf(literal, at);
    if (end <= at || (isLast && !message.endsWith(literal))) return null;
    values.push(message.slice(at, end));
    at = end + literal.length;
  }
  return values;
}

function filled({ names, french }: Template, values: readonly string[]): string {
  return french.replace(/\{(\w+)\}/g, (place, name: string) => {
    const value = values[names.indexOf(name)] ?? place;
    return name === 'status' ? (entryOf(STATUSES, value) ?? value) : value;
  });
}
