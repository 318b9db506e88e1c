import { Problem } from '../../../kit/errors.ts';

/** Why the API rejected what a form asked for. */
export interface Fault {
  status: number;
  message: string;
  errors: Readonly<Record<string, string[]>>;
}

/**
 * Returns a rejection, to be shown with the form that caused it.
 * @throws the error itself when it is not one of the person's: the frame shows it
 */
export function faultOf(error: unknown): Fault {
  if (!(error instanceof Problem) || error.status >= 500 || error.status === 404) throw error;
  return { status: error.status, message: error.message, errors: error.details.errors ?? {} };
}

/** Returns what has to be said above a form: the message, unless each rejected field is shown with its own. */
export function unplaced(fault: Fault | undefined, names: readonly string[]): string | undefined {
  const rejected = Object.keys(fault?.errors ?? {});
  return rejected.length > 0 && rejected.every((name) => names.includes(name)) ? undefined : fault?.message;
}
