import { type Html, html } from '../../kit/html.ts';
import { doneOnce } from './done-once.ts';
import type { ApiCall, TeamVisit } from './page.ts';
import type { Fault } from './parts/fault.ts';
import { refuseUnseen, seenField } from './parts/seen.ts';

/** An object that a form switches between two states. */
interface Switched {
  /** Differs after each change, also after one that restores the state. */
  updated_at: string;
}

/** Renders the hidden fields of a form that is submitted to {@link switchOnce}. */
export function switchFields(visit: TeamVisit, object: Switched, fault?: Fault): Html {
  return html`${visit.formFields()}${seenField(visit, standingOf(object), fault)}`;
}

/**
 * Runs an operation that switches an object as the person saw it. When its form is submitted again after it was done, the object is as the
 * form wanted it, and nothing is changed.
 * @param isSwitched returns whether the object is as the form wants it
 * @throws Problem 409 when the object was changed after the person saw it, and is not as the form wants it
 */
export async function switchOnce(
  visit: TeamVisit,
  operation: string,
  call: ApiCall,
  isSwitched: () => Promise<boolean>,
): Promise<void> {
  const verifySeen = (before: object) => refuseUnseen(visit, standingOf(before as Switched));
  await doneOnce(() => visit.api(operation, { ...call, verifySeen }), isSwitched);
}

function standingOf({ updated_at }: Switched): Switched {
  return { updated_at };
}
