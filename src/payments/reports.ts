import type { Config } from '../config.ts';
import type { Environment } from '../kit/environment.ts';
import type { Capabilities, Reading, Submission } from '../providers/contract.ts';
import type { Change, Report } from './change.ts';
import { changeOfLateReading, changeOfLateSubmission } from './late.ts';
import { changeOfReading, changeOfSubmission } from './outcomes.ts';
import { type AttemptRow, isOpen } from './schema.ts';

/** Where a report is judged. */
interface Place {
  config: Config;
  environment: Environment;
}

/** A look at the provider, as what it changes depends on it. */
export interface Look {
  capabilities: Pick<Capabilities, 'polls' | 'not_found_grace_ms'>;
  /** When the provider was asked, in milliseconds since the epoch. */
  asked_at: number;
  /** The moment that was set for this look; a moment that was set since is kept. Null: every earlier moment is kept. */
  due: Date | null;
}

/**
 * The answer to a charge or a further step.
 * @param attempt as it was when it was sent
 * @param payer set with the answer: a card that was typed in a further step
 */
export function reportOfSubmission(
  { config, environment }: Place,
  attempt: AttemptRow,
  submission: Submission,
  payer?: string,
): Report {
  const { team_id, payment_id, id: attempt_id } = attempt;
  const judge: Report['judge'] = (payment, now, attempts, at) => {
    const change = isOpen(now)
      ? changeOfSubmission(config, environment, payment, now, submission, at)
      : changeOfLateSubmission({ config, environment, payment, attempt: now, attempts, at }, submission);
    if (payer && change.attempt) change.attempt.update.payer = payer;
    return keepingWakeUp(change, now, attempt.next_poll_at);
  };
  return { team_id, payment_id, attempt_id, judge };
}

/** What the provider said when it was asked, or by itself. */
export function reportOfReading({ config, environment }: Place, attempt: AttemptRow, reading: Reading, look: Look): Report {
  const { team_id, payment_id, id: attempt_id } = attempt;
  const { capabilities, asked_at, due } = look;
  const judge: Report['judge'] = (payment, now, attempts, at) => {
    const change = isOpen(now)
      ? changeOfReading(config, environment, payment, now, reading, capabilities, at, asked_at)
      : changeOfLateReading({ config, environment, payment, attempt: now, attempts, at }, reading, capabilities, asked_at);
    return keepingWakeUp(change, now, due);
  };
  return { team_id, payment_id, attempt_id, judge };
}

/** A callback that came since the provider was asked has set an earlier moment for the next look: it stands. */
function keepingWakeUp(change: Change, now: AttemptRow, due: Date | null): Change {
  const next = change.attempt?.update.next_poll_at;
  const set = now.next_poll_at;
  if (!change.attempt || !next || !set || set.getTime() === due?.getTime() || set >= next) return change;
  return { ...change, attempt: { ...change.attempt, update: { ...change.attempt.update, next_poll_at: set } } };
}
