import { sha256 } from '../../../kit/crypto.ts';
import { type Html, html } from '../../../kit/html.ts';
import type { Texts } from '../language.ts';
import { OwnProblem } from '../messages/own.ts';
import { fieldOf, type Visit } from '../page.ts';
import type { Fault } from './fault.ts';

const SEEN = 'seen';
const CHANGES = 'seen_changes';
const STALE = 409;

const TEXTS: Texts<{ stale: string; unseen: string }> = {
  en: {
    stale:
      'This was changed after you had opened the form, and nothing was saved. Compare what you typed with what is stored now, and save again.',
    unseen:
      'This was changed after you had opened the page, and nothing was done. Look at it as it is now, and repeat what you did.',
  },
  fr: {
    stale:
      'Une modification a eu lieu après l’ouverture du formulaire\u00A0: rien n’a été enregistré. Comparez votre saisie avec les valeurs actuelles, puis enregistrez de nouveau.',
    unseen:
      'Une modification a eu lieu après l’ouverture de la page\u00A0: rien n’a été effectué. Vérifiez les valeurs actuelles, puis recommencez.',
  },
};

/**
 * Renders the hidden fields of a form that changes an object: a digest of the stored values when the form was opened, and the number of
 * changes so far. A form submits all values, also unchanged ones, so saving it later would undo changes that another person made meanwhile.
 * @param stored the stored values of the form
 * @param fault reason why the form is shown again
 * @param changes the number of changes so far. Default: the form is compared by its values alone
 */
export function seenField(visit: Visit, stored: object, fault?: Fault, changes?: number): Html {
  // A form that is shown again keeps the fields of its first display. After the warning, saving it again is the person's decision.
  const hidden = (name: string, now: string) => {
    const opened = fault?.status === STALE ? '' : fieldOf(visit, name);
    return html`<input type="hidden" name="${name}" value="${opened || now}">`;
  };
  return html`${hidden(SEEN, digestOf(stored))}${changes !== undefined && hidden(CHANGES, String(changes))}`;
}

/**
 * Verifies that an action applies to the values that the person saw.
 * @throws Problem 409 when the stored values have changed since the page was opened
 */
export function refuseUnseen(visit: Visit, stored: object): void {
  if (isChanged(visit, stored)) throw new OwnProblem(STALE, TEXTS[visit.language].unseen);
}

/**
 * Verifies that saving a form undoes no change that the person has not seen.
 * @param typed input. Values that are already stored, as after a first submit of the same form, may be saved again
 * @param changes the number of changes so far, if the form has it
 * @throws Problem 409 when the stored values have changed since the form was opened, also if they have been restored
 */
export function refuseStale<Values extends object>(visit: Visit, stored: Values, typed: Values, changes?: number): void {
  const again = digestOf(typed) === digestOf(stored);
  if (!again && isChanged(visit, stored, changes)) throw new OwnProblem(STALE, TEXTS[visit.language].stale);
}

function isChanged(visit: Visit, stored: object, changes?: number): boolean {
  return isOther(visit, SEEN, digestOf(stored)) || (changes !== undefined && isOther(visit, CHANGES, String(changes)));
}

/** Returns whether a hidden field differs from the present. A form of an earlier release may not have the field. */
function isOther(visit: Visit, name: string, now: string): boolean {
  const opened = fieldOf(visit, name);
  return opened !== '' && opened !== now;
}

function digestOf(values: object): string {
  const entries = Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1));
  return sha256(JSON.stringify(entries)).toString('base64url').slice(0, 22);
}
