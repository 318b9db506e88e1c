import type { Flow } from '../../providers/adapters/statement.ts';
import type { BreakKind } from './schema.ts';

/** Title and description of each kind. */
export const KIND_WORDS: Record<BreakKind, { title: string; meaning: string }> = {
  missing_here: { title: 'Missing here', meaning: 'The statement has money that the books know nothing of.' },
  missing_there: { title: 'Missing there', meaning: 'The books have money that the statement does not have, or calls failed.' },
  amount: { title: 'Other amount', meaning: 'Both have it, with another amount or currency.' },
  duplicate: {
    title: 'Duplicate',
    meaning: 'The statement has it more than once. With references of their own, money moved more than once.',
  },
  late: { title: 'Late', meaning: 'Money moved although here it had ended without.' },
  unknown: { title: 'Unknown here', meaning: 'Nobody here knew the outcome; the statement tells it.' },
};

export const FLOW_WORDS: Record<Flow, string> = { collect: 'Collections', payout: 'Payouts', refund: 'Refunds' };
