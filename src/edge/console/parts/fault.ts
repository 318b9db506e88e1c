import { Problem } from '../../../kit/errors.ts';
import type { Html } from '../../../kit/html.ts';
import type { ConsoleLanguage } from '../language.ts';
import { type Said, sayProblem } from '../messages/say.ts';

/** Rejection of a form by the API, in the language of the page. */
export interface Fault extends Said {
  status: number;
}

/** Errors of a form by field. */
export type ShownErrors = Said['errors'];

interface Visitor {
  language: ConsoleLanguage;
}

/**
 * Returns a rejection, to be shown with the form that caused it.
 * @throws the error itself when it is not caused by the person: the frame shows it
 */
export function faultOf({ language }: Visitor, error: unknown): Fault {
  if (!(error instanceof Problem) || error.status >= 500 || error.status === 404) throw error;
  return shownFault(language, error);
}

/** Returns a rejection of any status, to be shown. */
export function shownFault(language: ConsoleLanguage, problem: Problem): Fault {
  return { status: problem.status, ...sayProblem(language, problem) };
}

/**
 * Returns why a list rejects its filters, to be shown with them.
 * @throws the error itself when it does not concern the filters
 */
export function filterFault({ language }: Visitor, error: unknown): Fault {
  if (error instanceof Problem && error.status === 422) return shownFault(language, error);
  throw error;
}

/** Returns the message above a form, unless each rejected field is shown with its own message. */
export function unplaced(fault: Fault | undefined, names: readonly string[]): Html | undefined {
  const rejected = Object.keys(fault?.errors ?? {});
  return rejected.length > 0 && rejected.every((name) => names.includes(name)) ? undefined : fault?.message;
}
