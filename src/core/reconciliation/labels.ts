import type { Flow } from '../../providers/adapters/statement.ts';
import type { BreakKind } from './schema.ts';

/** Title and description of each kind. */
export const KIND_LABELS: Record<BreakKind, { title: string; meaning: string }> = {
  missing_here: { title: 'Missing here', meaning: 'The statement has money that is not in the books.' },
  missing_there: { title: 'Missing there', meaning: 'The books have money that is not in the statement, or is failed there.' },
  amount: { title: 'Different amount', meaning: 'The statement and the books have different amounts or currencies.' },
  duplicate: {
    title: 'Duplicate',
    meaning: 'The statement has the line more than once. With different references, money moved more than once.',
  },
  late: { title: 'Late', meaning: 'Money moved although the operation had ended here without success.' },
  unknown: { title: 'Unknown here', meaning: 'The outcome was unknown here; the statement has it.' },
};

export const FLOW_LABELS: Record<Flow, string> = { collect: 'Collections', payout: 'Payouts', refund: 'Refunds' };
