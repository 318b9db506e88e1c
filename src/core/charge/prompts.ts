import type { Environment } from '../../kit/environment.ts';
import { Problem } from '../../kit/errors.ts';
import type { Tx } from '../../kit/sql.ts';
import type { Charge } from './instrument.ts';
import { countUnpaidPrompts } from './prompts-store.ts';
import { PROMPTERS, type Prompter } from '../attempts/schema.ts';

const WINDOW_MS = 3_600_000;
/**
 * Maximum unpaid prompts within the window. A payer mistypes a PIN or loses the signal a few times; an abuser prompts more
 * often.
 */
export const MAX_UNPAID_PROMPTS = 8;

/** Whether a charge prompts a phone and so counts. The sandbox prompts no phone, and all users try the same few numbers. */
export function isLimited(
  environment: Environment,
  { channel, payer, prompted_by }: Pick<Charge, 'channel' | 'payer' | 'prompted_by'>,
): boolean {
  return prompted_by !== null && environment !== 'sandbox' && channel.kind === 'mobile_money' && payer !== null;
}

/** A charge that is being started. */
export interface Prompting {
  environment: Environment;
  team_id: bigint;
  charge: Pick<Charge, 'channel' | 'payer' | 'prompted_by'>;
  /** Milliseconds since the epoch. */
  at: number;
}

/**
 * Limits how often a phone is prompted without payment, for every kind of caller. It is called in the transaction of each
 * charge and counts in the database, over all payments of the team and all processes. Only prompts caused by the same kind of
 * caller or a more trusted one count. So a public key or a page locks out neither a secret key nor the page of a payment that
 * such a key created; and because prompts are counted by team, one team cannot lock out another.
 * @param promptings of distinct payers, by team and payer
 * @returns for each who causes the prompt, to be stored with the attempt; null where no phone is prompted, or no person causes it; the
 * problem 429 when the phone was prompted too often
 */
export async function limitPrompts(tx: Tx, promptings: readonly Prompting[]): Promise<(Prompter | Problem | null)[]> {
  const limited = promptings.flatMap((prompting) => {
    const { environment, team_id, charge, at } = prompting;
    const { payer, prompted_by } = charge;
    if (!isLimited(environment, charge) || payer === null || prompted_by === null) return [];
    const kinds = PROMPTERS.slice(PROMPTERS.indexOf(prompted_by));
    return [{ prompting, prompted_by, counted: { team_id, payer, kinds, since: new Date(at - WINDOW_MS) } }];
  });
  const counts = await countUnpaidPrompts(
    tx,
    limited.map(({ counted }) => counted),
  );
  const judged = new Map(
    limited.map(({ prompting, prompted_by }, i) => {
      return [prompting, (counts[i] ?? 0) >= MAX_UNPAID_PROMPTS ? tooManyPrompts() : prompted_by] as const;
    }),
  );
  return promptings.map((prompting) => judged.get(prompting) ?? null);
}

function tooManyPrompts(): Problem {
  const retry_after = WINDOW_MS / 1000;
  return new Problem(429, 'Too many charges of this payer.', {
    headers: { 'Retry-After': String(retry_after) },
    extra: { type: 'endpoint', retry_after, retry_after_human: '01:00:00' },
  });
}
