import { type FieldErrors, invalid } from '../../../../kit/errors.ts';
import { type Html, html } from '../../../../kit/html.ts';
import { type Answer, fieldOf, redirect, type TeamVisit } from '../../page.ts';
import { type Fault, faultOf, unplaced } from '../../parts/fault.ts';
import { alert, card, field, textarea } from '../../parts/parts.ts';
import { showDispute } from './one.ts';
import { DISPUTE_TEXTS } from './texts.ts';

const FIELDS = ['explanation', 'delivered_on', 'tracking_number', 'documents'] as const;

/** Evidence as it is typed. */
export type TypedEvidence = Record<(typeof FIELDS)[number], string>;

/** Maximum number of documents, so that all evidence fits into the 16 KB of the API. */
const MAX_DOCUMENTS = 20;

const NOTHING: TypedEvidence = { explanation: '', delivered_on: '', tracking_number: '', documents: '' };

/** The form of evidence. */
export function evidenceForm(visit: TeamVisit, id: string, typed: TypedEvidence = NOTHING, fault?: Fault): Html {
  const texts = DISPUTE_TEXTS[visit.language];
  const common = (name: (typeof FIELDS)[number]) => ({ name, value: typed[name], error: fault?.errors[name]?.[0] });
  return card(
    texts.evidence,
    html`<p class="note">${texts.evidenceNote}</p>${alert(unplaced(fault, FIELDS))}<form method="post" action="${visit.base}/disputes/${id}/evidence">${visit.formFields()}
${textarea({ ...common('explanation'), label: texts.explanation, help: texts.explanationHelp, maxlength: 5000, required: true })}
${field({ ...common('delivered_on'), label: texts.delivered, help: texts.deliveredHelp, type: 'date' })}
${field({ ...common('tracking_number'), label: texts.tracking, help: texts.trackingHelp, maxlength: 100, autocomplete: 'off' })}
${textarea({ ...common('documents'), label: texts.documents, help: texts.documentsHelp, maxlength: 5000 })}
<div class="form-actions"><button>${texts.submit}</button></div></form>`,
  );
}

/** Submits the evidence. */
export async function submitEvidence(visit: TeamVisit): Promise<Answer> {
  const typed = Object.fromEntries(FIELDS.map((name) => [name, fieldOf(visit, name)])) as TypedEvidence;
  const { id = '' } = visit.params;
  try {
    await visit.api('POST /disputes/:id/evidence', { params: { id }, body: { evidence: evidenceOf(visit, typed) } });
  } catch (error) {
    return showDispute(visit, { typed, fault: faultOf(error) });
  }
  return redirect(`${visit.base}/disputes/${id}?done=evidence`);
}

/** @throws Problem 422 */
function evidenceOf({ language }: TeamVisit, typed: TypedEvidence): object {
  const { faults } = DISPUTE_TEXTS[language];
  const { documents: lines, ...texts } = typed;
  const documents = lines.split(/\s+/).filter((line) => line !== '');
  const errors: FieldErrors = {};
  if (texts.explanation === '') errors.explanation = [faults.explanation];
  if (documents.length > MAX_DOCUMENTS || !documents.every(isAddress)) errors.documents = [faults.documents];
  if (Object.keys(errors).length > 0) throw invalid(errors);
  const given = Object.entries(texts).filter(([, text]) => text !== '');
  return { ...Object.fromEntries(given), ...(documents.length > 0 ? { documents } : {}) };
}

function isAddress(text: string): boolean {
  return URL.parse(text)?.protocol === 'https:';
}
