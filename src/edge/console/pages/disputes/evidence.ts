import { isDeepStrictEqual } from 'node:util';
import { doneOnce } from '../../done-once.ts';
import { ownFaults } from '../../messages/own.ts';
import type { FieldErrors } from '../../../../kit/errors.ts';
import { type Answer, fieldOf, redirect, type TeamVisit } from '../../page.ts';
import { faultOf } from '../../parts/fault.ts';
import { EVIDENCE_FIELDS, type TypedEvidence } from './evidence-form.ts';
import { showDispute } from './one.ts';
import { disputeOf } from './read.ts';
import { DISPUTE_TEXTS } from './texts.ts';

/** Maximum number of documents, so that all evidence fits into the 16 KB of the API. */
const MAX_DOCUMENTS = 20;

/** Submits the evidence. */
export async function submitEvidence(visit: TeamVisit): Promise<Answer> {
  const typed = Object.fromEntries(EVIDENCE_FIELDS.map((name) => [name, fieldOf(visit, name)])) as TypedEvidence;
  const { id = '' } = visit.params;
  try {
    const evidence = evidenceOf(visit, typed);
    await doneOnce(
      () => visit.api('POST /disputes/:id/evidence', { params: { id }, body: { evidence } }),
      async () => isDeepStrictEqual((await disputeOf(visit)).evidence, evidence),
    );
  } catch (error) {
    return showDispute(visit, { typed, fault: faultOf(visit, error) });
  }
  return redirect(`${visit.base}/disputes/${id}?done=evidence`);
}

/** Returns the evidence in API format. @throws Problem 422 for invalid input */
function evidenceOf({ language }: TeamVisit, typed: TypedEvidence): object {
  const { faults } = DISPUTE_TEXTS[language];
  const { documents: lines, ...texts } = typed;
  const documents = lines.split(/\s+/).filter((line) => line !== '');
  const errors: FieldErrors = {};
  if (texts.explanation === '') errors.explanation = [faults.explanation];
  if (documents.length > MAX_DOCUMENTS || !documents.every(isAddress)) errors.documents = [faults.documents];
  if (Object.keys(errors).length > 0) throw ownFaults(errors);
  const given = Object.entries(texts).filter(([, text]) => text !== '');
  return { ...Object.fromEntries(given), ...(documents.length > 0 ? { documents } : {}) };
}

function isAddress(text: string): boolean {
  return URL.parse(text)?.protocol === 'https:';
}
