import { Problem } from '../../kit/errors.ts';

/** Reason why an action on an approval is rejected. The pages have a text for each. */
export type ApprovalFault =
  | 'own'
  | 'decided'
  | 'expired'
  | 'maker'
  | 'subject'
  | 'many_waiting'
  | 'approvers'
  | 'payee'
  | 'account'
  | 'role'
  | 'invitation'
  | 'threshold'
  | 'key'
  | 'not_own';

const MESSAGES: Readonly<Record<ApprovalFault, string>> = {
  own: 'Nobody decides on what they asked for.',
  decided: 'Somebody has decided already.',
  expired: 'The time for it is over: ask again.',
  maker: 'Whoever asked may not do this any more.',
  subject: 'Nobody decides on their own membership.',
  many_waiting: 'Many approvals are waiting: decide on those first.',
  approvers: 'With a threshold, a team keeps two people who may approve.',
  payee: 'The recipient has changed since: ask again.',
  account: 'Where its money goes has changed since: ask again.',
  role: 'The role of this person has changed since: ask again.',
  invitation: 'This address was invited to another role since: ask again.',
  threshold: 'The threshold has changed since: ask again.',
  key: 'The key has changed since: ask again.',
  not_own: 'Only whoever asked may do this.',
};

const STATUS: Partial<Record<ApprovalFault, number>> = { own: 403, subject: 403, not_own: 403, many_waiting: 429 };

/** @throws Problem with the fault as its error code */
export function refuseApproval(fault: ApprovalFault): never {
  throw new Problem(STATUS[fault] ?? 409, MESSAGES[fault], { error_code: fault });
}

/** Returns the fault that an error names; null for any other error. */
export function approvalFault(error: unknown): ApprovalFault | null {
  const code = error instanceof Problem ? error.details.error_code : undefined;
  return code !== undefined && Object.hasOwn(MESSAGES, code) ? (code as ApprovalFault) : null;
}
