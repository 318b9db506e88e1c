import { type Html, html } from '../../../../kit/html.ts';
import type { TeamVisit } from '../../page.ts';
import { type Fault, unplaced } from '../../parts/fault.ts';
import { alert, card, field, textarea } from '../../parts/parts.ts';
import { DISPUTE_TEXTS } from './texts.ts';

/** The fields of the form, under the names that the evidence has in the API. */
export const EVIDENCE_FIELDS = ['explanation', 'delivered_on', 'tracking_number', 'documents'] as const;

/** Evidence as it is typed. */
export type TypedEvidence = Record<(typeof EVIDENCE_FIELDS)[number], string>;

const NOTHING: TypedEvidence = { explanation: '', delivered_on: '', tracking_number: '', documents: '' };

/** The form of evidence. */
export function evidenceForm(visit: TeamVisit, id: string, typed: TypedEvidence = NOTHING, fault?: Fault): Html {
  const texts = DISPUTE_TEXTS[visit.language];
  const common = (name: (typeof EVIDENCE_FIELDS)[number]) => ({ name, value: typed[name], error: fault?.errors[name]?.[0] });
  return card(
    texts.evidence,
    html`<p class="note">${texts.evidenceNote}</p>${alert(unplaced(fault, EVIDENCE_FIELDS))}<form method="post" action="${visit.base}/disputes/${id}/evidence">${visit.formFields()}
${textarea({ ...common('explanation'), label: texts.explanation, help: texts.explanationHelp, maxlength: 5000, required: true })}
${field({ ...common('delivered_on'), label: texts.delivered, help: texts.deliveredHelp, type: 'date' })}
${field({ ...common('tracking_number'), label: texts.tracking, help: texts.trackingHelp, maxlength: 100, autocomplete: 'off' })}
${textarea({ ...common('documents'), label: texts.documents, help: texts.documentsHelp, maxlength: 5000 })}
<div class="form-actions"><button>${texts.submit}</button></div></form>`,
  );
}
