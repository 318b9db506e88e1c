import { nextOf } from '../machines.ts';

/*
 * A small model of payouts: transfers with the money they reserve, two providers that each remember a payout by its key, and nodes
 * that do one step at a time and may die, or pause for any time, between any two. Nothing here is imported from src.
 */

/** Units of a transfer, and of its fee. */
export const AMOUNT = 2;
export const FEE = 1;

/** What a provider holds under one key. `unfunded`: failed for good, because our float there is empty. */
export type Held = 'absent' | 'wire' | 'pending' | 'paid' | 'refused' | 'cancelled' | 'unfunded';

export interface Transfer {
  status: string;
  stage: 'reserved' | 'dispatched' | 'closed';
  /** The provider that has it, or had it last. */
  provider: number | null;
  /** Providers that can take it, as of the last submission, and those of them that provably have not. */
  candidates: readonly number[];
  tried: readonly number[];
  /** Keys that are used up. */
  spent: number;
  /** Key of the current submission. */
  key: number;
  /** The current key was submitted a second time. */
  resent: boolean;
  /** How many times it was submitted, and whether the last submission may be with the provider. */
  sending: number;
  sent: boolean;
  /** A worker will look at it again. */
  due: boolean;
  /** Its money, in units. */
  reserved: number;
  transit: number;
  gone: number;
  returns: number;
  /** By provider and key. */
  held: readonly (readonly Held[])[];
  /** A second operation was created under one key, at a provider without idempotency. */
  doubled: boolean;
}

/** Outcome of a submission or a poll. `absent_long`: not found beyond the grace period. */
export type Outcome =
  | 'pending'
  | 'paid'
  | 'other_amount'
  | 'refused'
  | 'cancelled'
  | 'unavailable'
  | 'unfunded'
  | 'absent'
  | 'absent_long'
  | 'unknown';

/** The row as the node read it. */
export type Known = Pick<
  Transfer,
  'stage' | 'provider' | 'candidates' | 'tried' | 'spent' | 'key' | 'resent' | 'sending' | 'sent'
> & {
  /** Another worker has claimed the transfer since. */
  overtaken: boolean;
};

export type Call = 'submit' | 'read';

export type Node =
  | { at: 'idle' }
  /** Has read the available balance, without a lock. Only a planted defect does this. */
  | { at: 'counted' }
  | { at: 'claimed'; transfer: number; known: Known }
  | { at: 'marked'; transfer: number; known: Known }
  | { at: 'answered'; transfer: number; known: Known; call: Call; outcome: Outcome };

export interface World {
  available: number;
  transfers: readonly Transfer[];
  nodes: readonly Node[];
  crashes: number;
}

export interface Rules {
  crashes: number;
  transfers: number;
  sendings: number;
  /** Keys that may become unfunded. */
  unfunded: number;
  /** Providers recognise a repeated key. */
  idempotent: boolean;
  /** They answer it as they answered the first; otherwise they may reject it for a reason of its own. */
  replays: boolean;
  planted?:
    | 'lost_is_failure'
    | 'lost_is_unsent'
    | 'poll_unavailable_is_proof'
    | 'resend_unavailable_is_proof'
    | 'resend_rejection_is_proof'
    | 'stale_unsent'
    | 'resends_without_idempotency'
    | 'sends_before_intent'
    | 'marks_when_overtaken'
    | 'sent_is_not_due'
    | 'returns_twice'
    | 'reserves_without_lock'
    | undefined;
}

export function isFinal({ status }: Transfer): boolean {
  return status !== 'processing';
}

export function isUnsent({ stage, sent }: Pick<Transfer, 'stage' | 'sent'>): boolean {
  return stage === 'reserved' || !sent;
}

export function knownOf(transfer: Transfer): Known {
  const { stage, provider, candidates, tried, spent, key, resent, sending, sent } = transfer;
  return { stage, provider, candidates, tried, spent, key, resent, sending, sent, overtaken: false };
}

/** Creates a transfer and reserves its money; without cover it has failed at once. */
export function created(covered: boolean): Transfer {
  const base = {
    ...{
      provider: null,
      candidates: [],
      tried: [],
      spent: 0,
      key: 0,
      resent: false,
      sending: 0,
      sent: false,
      transit: 0,
      gone: 0,
    },
    ...{ returns: 0, held: [['absent'], ['absent']] as Held[][], doubled: false },
  };
  return covered
    ? { ...base, status: 'processing', stage: 'reserved', due: true, reserved: AMOUNT + FEE }
    : { ...base, status: nextOf('transfer', 'processing', 'uncovered') as string, stage: 'closed', due: false, reserved: 0 };
}

/** Whether the row is with another provider, or was submitted or proved as unsent since. */
function isStale(row: Transfer, known: Known): boolean {
  const submission = ({ sent, sending }: Pick<Transfer, 'sent' | 'sending'>) => (sent ? sending : null);
  return row.stage !== known.stage || row.provider !== known.provider || submission(row) !== submission(known);
}

/** Returns the first candidate that has not rejected the transfer, or null. */
export function nextProvider({ tried }: Pick<Transfer, 'tried'>, candidates: readonly number[]): number | null {
  return candidates.find((one) => !tried.includes(one)) ?? candidates[0] ?? null;
}

/** The submission to commit before it is sent: to the next provider, or again to the same one under the same key. */
export function intended(known: Known, candidates: readonly number[]): Partial<Transfer> | null {
  if (!isUnsent(known)) return { resent: true };
  const provider = nextProvider(known, candidates);
  return provider === null ? null : { provider, candidates, tried: known.tried, spent: known.spent, resent: known.resent };
}

/** Commits a submission, or returns null when another worker was faster. */
export function marked(row: Transfer, known: Known, intent: Partial<Transfer>, rules?: Rules): Transfer | null {
  const overtaken = known.overtaken && rules?.planted !== 'marks_when_overtaken';
  if (nextOf('transfer', row.status, 'sending') === null || overtaken || isStale(row, known)) return null;
  const books = row.stage === 'reserved' ? { reserved: row.reserved - AMOUNT, transit: row.transit + AMOUNT } : {};
  const after: Transfer = { ...row, ...books, ...intent, stage: 'dispatched', sending: row.sending + 1, sent: true };
  return { ...after, key: after.spent, held: keyed(after), due: rules?.planted !== 'sent_is_not_due' };
}

/** Each provider knows nothing of a new key. */
function keyed({ held, spent }: Transfer): Transfer['held'] {
  return held.map((keys) => (keys.length > spent ? keys : [...keys, 'absent' as const]));
}

/** Applies the outcome of a call, under the lock of the row. */
export function afterOutcome(row: Transfer, known: Known, call: Call, outcome: Outcome, rules: Rules): Transfer {
  const isOther = call === 'submit' && known.resent && !rules.replays && rules.planted !== 'resend_rejection_is_proof';
  if (isOther && (outcome === 'refused' || outcome === 'cancelled' || outcome === 'unfunded')) return row;
  switch (outcome) {
    case 'paid':
      if (nextOf('transfer', row.status, 'succeeded') === null || row.provider !== known.provider) return row;
      return closed(
        { ...row, gone: row.gone + AMOUNT + FEE, transit: row.transit - AMOUNT, reserved: row.reserved - FEE },
        'succeeded',
      );
    case 'refused':
      return returned(row, known, 'failed', rules);
    case 'cancelled':
      return returned(row, known, 'cancelled', rules);
    case 'unfunded':
      return unsent(row, { ...known, spent: known.spent + 1, resent: false }, rules);
    case 'unavailable': {
      const polled = call === 'read' && rules.planted !== 'poll_unavailable_is_proof';
      const again = known.resent && rules.planted !== 'resend_unavailable_is_proof';
      return polled || again ? row : unsent(row, known, rules);
    }
    case 'unknown':
      if (rules.planted === 'lost_is_failure') return returned(row, known, 'failed', rules);
      return rules.planted === 'lost_is_unsent' && call === 'submit' ? unsent(row, known, rules) : row;
    default:
      return row;
  }
}

function unsent(row: Transfer, known: Known, rules: Rules): Transfer {
  const stale = (isStale(row, known) || known.overtaken) && rules.planted !== 'stale_unsent';
  if (nextOf('transfer', row.status, 'unsent') === null || stale) return row;
  const tried = [...known.tried, known.provider as number];
  const left = known.candidates.some((one) => !tried.includes(one));
  const { spent, resent, candidates } = known;
  return { ...row, spent, resent, candidates, tried: left ? tried : [], sent: false, due: true };
}

function returned(row: Transfer, known: Known, trigger: 'failed' | 'cancelled', rules: Rules): Transfer {
  const again = rules.planted === 'returns_twice' && row.status === trigger;
  if (!again && (nextOf('transfer', row.status, trigger) === null || isStale(row, known))) return row;
  return closed({ ...row, reserved: 0, transit: 0, returns: row.returns + 1 }, trigger);
}

function closed(row: Transfer, trigger: string): Transfer {
  return { ...row, status: nextOf('transfer', 'processing', trigger) as string, stage: 'closed', due: false };
}
