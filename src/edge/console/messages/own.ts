import { type FieldErrors, invalid, Problem } from '../../../kit/errors.ts';

/** A rejection by the console itself: its texts are in the language of the visit already. */
export class OwnProblem extends Problem {}

/** Builds a 422 with texts of the console for one or more fields. */
export function ownFaults(errors: FieldErrors): OwnProblem {
  return new OwnProblem(422, invalid(errors).message, { errors });
}
