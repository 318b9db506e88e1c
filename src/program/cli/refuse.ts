import { type FieldErrors, Problem } from '../../kit/errors.ts';
import { Failure, UsageFailure } from './failure.ts';

/** What to do about an error status: 404, and one because of the state of the resource. */
interface Advice {
  missing?: string;
  otherwise?: string;
}

/**
 * Converts an error status of the API to a failure of the command.
 * @throws Failure, or the error itself
 */
export function refuse(error: unknown, advice: Advice = {}): never {
  const { missing = 'Check the id and the team (--team).', otherwise = 'Its state does not allow it.' } = advice;
  if (!(error instanceof Problem)) throw error;
  if (error.status === 422) refuseFaults(error.details.errors ?? {});
  throw new Failure(error.message, error.status === 404 ? missing : otherwise, { cause: error });
}

/**
 * Reports the faults of the input by option.
 * @throws UsageFailure when there is any
 */
export function refuseFaults(faults: FieldErrors): void {
  const found = Object.entries(faults).map(([field, words]) => `${optionOf(field)} ${words.join(', ')}`);
  if (found.length > 0) throw new UsageFailure(found.join('; '), '--help explains the options.');
}

const OPTIONS: Record<string, string> = { payment: 'the payment', per_page: '--limit' };

function optionOf(field: string): string {
  return OPTIONS[field] ?? `--${field.replaceAll('_', '-')}`;
}
