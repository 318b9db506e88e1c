import { approvalFault } from '../../../../tenants/approvals/faults.ts';
import type { ApprovalRow } from '../../../../tenants/approvals/schema.ts';
import { type ApprovalState, approvalState } from '../../../../tenants/approvals/states.ts';
import type { Html, HtmlPart } from '../../../../kit/html.ts';
import { namesOfMembers } from '../../../../tenants/people/names-store.ts';
import type { Made } from '../../approvals/standing.ts';
import type { ConsoleLanguage } from '../../language.ts';
import type { TeamVisit } from '../../page.ts';
import { money } from '../../parts/format.ts';
import { badge, type Tone } from '../../parts/parts.ts';
import { refundBadge } from '../payments/one/views.ts';
import { payoutBadge } from '../payouts/status.ts';
import { APPROVAL_TEXTS, type AskedFor } from './texts.ts';

const TONES: Record<ApprovalState, Tone> = {
  open: 'warn',
  expired: 'idle',
  approved: 'info',
  lapsed: 'bad',
  done: 'good',
  failed: 'bad',
  rejected: 'bad',
  withdrawn: 'idle',
};

/** Renders the state of an approval. @param made the object that it made, if it is known */
export function stateBadge(row: ApprovalRow, made: Made | undefined, language: ConsoleLanguage): Html {
  if (made?.failed) return badge(APPROVAL_TEXTS[language].unmade, 'bad');
  return approvalBadge(approvalState(row), language);
}

/** Renders the status of the object that an approved operation made. */
export function madeBadge(made: Made, language: ConsoleLanguage): Html {
  return made.kind === 'payout' ? payoutBadge(made.status, language) : refundBadge(made.status, language);
}

/** Renders the state of an approval. */
export function approvalBadge(state: ApprovalState, language: ConsoleLanguage): Html {
  return badge(APPROVAL_TEXTS[language].states[state], TONES[state]);
}

/** Returns the name of the requested operation. */
export function nameOf({ operation }: ApprovalRow, language: ConsoleLanguage): string {
  return APPROVAL_TEXTS[language].operations[operation as AskedFor] ?? operation;
}

/** Returns the amount that would move; null for everything but money. */
export function amountOf({ amount_minor, currency }: ApprovalRow, language: ConsoleLanguage): string | null {
  return amount_minor === null || currency === null ? null : money(amount_minor, currency, language);
}

/** Returns a function that names the people of these approvals. */
export async function peopleOf(visit: TeamVisit, rows: readonly ApprovalRow[]): Promise<(id: string) => HtmlPart> {
  const texts = APPROVAL_TEXTS[visit.language];
  const ids = [...new Set(rows.flatMap(({ asked_by, decided_by }) => (decided_by ? [asked_by, decided_by] : [asked_by])))];
  const names = await namesOfMembers(visit.approvals.control, visit.team.id, ids);
  return (id) => (id === visit.session.user.id ? texts.you : (names.get(id) ?? texts.former));
}

/** Returns the text of an error about approvals; null for any other error. */
export function approvalFaultText(language: ConsoleLanguage, error: unknown): string | null {
  const fault = approvalFault(error);
  return fault === null ? null : APPROVAL_TEXTS[language].faults[fault];
}
