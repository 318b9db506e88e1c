import type { Command } from 'commander';
import { isDoubted } from '../../../core/attempts/schema.ts';
import { explainRefusal } from '../../../core/abuse/rules.ts';
import { type NotedRefusal, refusalsOf } from '../../../core/abuse/service.ts';
import { type Environment, ENVIRONMENTS } from '../../../kit/environment.ts';
import { unreachable } from '../../../kit/errors.ts';
import { isId } from '../../../kit/ids.ts';
import { wireFromMinor } from '../../../kit/money.ts';
import { Failure } from '../failure.ts';
import { explanationOf } from '../../../providers/routing/explain.ts';
import { moneyText } from '../format.ts';
import { print, shortMoment } from '../output.ts';
import { inStore, whyLines } from './shared.ts';
import {
  type ExplainedAttempt,
  explainedAttempts,
  type ExplainedPayment,
  findPaymentAnywhere,
  type ExplainedEvent,
  explainedEvents,
} from './store.ts';

interface Explanation {
  payment: ExplainedPayment;
  /** Rejections by fraud screening, before a provider was called. */
  refusals: NotedRefusal[];
  events: ExplainedEvent[];
  attempts: ExplainedAttempt[];
}

/** Runs `pirogue explain` for the id of a payment or transfer. */
export async function explainCommand(id: string, options: { json?: true }, command: Command): Promise<void> {
  for (const environment of ENVIRONMENTS) {
    if (isId('trx', environment, id)) return explainPayment(id, environment, options);
    if (isId('po', environment, id)) return (await import('./transfer.ts')).explainTransfer(id, environment, options);
  }
  command.error('error: this is not the id of a payment (trx_…) or transfer (po_…)');
}

async function explainPayment(id: string, environment: Environment, options: { json?: true }): Promise<void> {
  const explanation = await readExplanation(id, environment);
  if (!explanation) throw new Failure(`there is no payment ${id} in ${environment}`, 'Check the id.');
  print(options.json, documentOf(explanation, environment), () => textOf(explanation, environment));
}

function readExplanation(id: string, environment: Environment): Promise<Explanation | undefined> {
  return inStore(environment, async (db) => {
    const payment = await findPaymentAnywhere(db, id);
    return (
      payment && {
        payment,
        refusals: await refusalsOf(db, payment.team_id, id),
        events: await explainedEvents(db, payment.team_id, id),
        attempts: await explainedAttempts(db, payment.team_id, id),
      }
    );
  });
}

function documentOf({ payment, refusals, events, attempts }: Explanation, environment: Environment) {
  const { team_id, amount_minor, captured_minor, ...rest } = payment;
  return {
    ...rest,
    team_id: String(team_id),
    environment,
    amount: wireFromMinor(amount_minor),
    amount_captured: wireFromMinor(captured_minor),
    happenings: events,
    refusals: refusals.map((refusal) => ({ ...refusal, why: explainRefusal(refusal) })),
    attempts: attempts.map(({ amount_minor: minor, decision, ...attempt }) => ({
      ...attempt,
      amount: wireFromMinor(minor),
      decision: explanationOf(decision) ?? decision,
      why: whyLines(decision),
      outcome: outcomeOf({ ...attempt, amount_minor: minor, decision }),
    })),
  };
}

function textOf({ payment, refusals, events, attempts }: Explanation, environment: Environment): string {
  const { id, team_id, status, amount_minor, currency, reason } = payment;
  const head = `${id} of team ${team_id}, ${environment}: ${moneyText(amount_minor, currency)}, ${status}${reason ? ` (${reason})` : ''}`;
  const lines = events.map(({ type, created_at }) => `  ${shortMoment(created_at)}  ${type}`);
  return [
    [head, ...lines].join('\n'),
    ...refusals.map(refusalText),
    ...(attempts.length === 0 ? ['No attempts: the payment has not been charged yet.'] : attempts.map(attemptText)),
  ].join('\n\n');
}

function refusalText(refusal: NotedRefusal): string {
  const { rule, times, first_at, last_at } = refusal;
  const often = times === 1 ? '' : ` (${times} times, the last at ${shortMoment(last_at)})`;
  return `${shortMoment(first_at)}  rejected by the fraud rule ${rule}${often}\n  ${explainRefusal(refusal)}`;
}

function attemptText(attempt: ExplainedAttempt): string {
  const { id, created_at, provider, provider_account, channel, amount_minor, currency, decision } = attempt;
  return [
    `${shortMoment(created_at)}  ${id}`,
    `  ${moneyText(amount_minor, currency)} on ${channel} by ${provider} (${provider_account})`,
    ...whyLines(decision).map((line) => `  ${line}`),
    `  → ${outcomeOf(attempt)}`,
  ].join('\n');
}

/** Describes the outcome of an attempt in one sentence. */
function outcomeOf(attempt: ExplainedAttempt): string {
  const { mismatch, resolution } = attempt;
  const broken = mismatch
    ? ` ${moneyText(BigInt(mismatch.amount_minor), mismatch.currency)} arrived instead and are in suspense until they are resolved manually.`
    : '';
  const decided = resolution
    ? ` Resolved manually by ${resolution.author} at ${shortMoment(new Date(resolution.at))}: ${resolution.evidence}`
    : '';
  return `${statusSentence(attempt)}${broken}${decided}`;
}

function statusSentence(attempt: ExplainedAttempt): string {
  const { status, reason, message, closed_at, submitted_at } = attempt;
  const at = closed_at ? ` at ${shortMoment(closed_at)}` : '';
  const words = message ? `: ${message}` : '';
  if (isDoubted(attempt)) {
    return `It ended as ${status}${at}${words}. The provider may have it after all: its status is polled, and no other provider is tried meanwhile.`;
  }
  switch (status) {
    case 'created':
      return 'It is not known whether it was sent. Its status will be queried.';
    case 'open':
      return `The provider has it${submitted_at ? ` since ${shortMoment(submitted_at)}` : ''} and has not reported a result.`;
    case 'unknown':
      return `The provider may have it${words}. Its status is polled until it is final; no other provider is tried meanwhile.`;
    case 'unavailable':
      return `Unavailable${at}${words}. The provider created nothing, so another could be tried.`;
    case 'succeeded':
      return `Succeeded${at}.`;
    case 'failed':
    case 'cancelled':
      return `${status === 'failed' ? 'Failed' : 'Cancelled'}${at}, ${reason ?? 'unknown'}${words}.`;
    case 'expired':
      return `Expired${at}: the provider reports that it did not take place.`;
    default:
      return unreachable(status);
  }
}
