/** Statuses of ours that the document contains; any other from 500 on is a defect, and on pages these are too. */
const DOCUMENTED = new Set([501, 502]);
const WITHOUT_BODY = new Set(['HEAD', 'OPTIONS']);
/** Texts of the run that only an unescaped page contains. */
const MARKUP = /<script>fuzz|<img src=x/;

export interface Answered {
  status: number;
  /** Content-Type; null without. */
  type: string | null;
  text: string;
}

/**
 * Returns what is wrong with an answer, whatever the document says of its JSON; null when nothing is.
 * @param target whether the request was for an operation of the document or for a page, a callback or a probe
 */
export function faultOf(method: string, target: 'operation' | 'page', { status, type, text }: Answered): string | null {
  if (status >= 500 && !(target === 'operation' && DOCUMENTED.has(status))) return `status ${status}`;
  if (type?.startsWith('text/html') && MARKUP.test(text)) return 'markup of the sender in a page';
  // The document is only compared with JSON.
  const needsJson = target === 'operation' && status !== 204 && !WITHOUT_BODY.has(method);
  return needsJson && !type?.startsWith('application/json') ? `an operation answered ${type ?? 'nothing'} instead of JSON` : null;
}

/** Ids of objects in the text of an answer; the id of the request itself is none. */
const IDS = /\b(?!req_)[a-z]{2,4}_(?:test_)?[0-9a-z]{26}\b/g;

/**
 * Returns what is wrong with an answer that shows an object of another team or environment, or null.
 * @param owners who was first shown an object, by its id; ids that nobody has seen before are added
 * @param caller the team and environment that was answered
 */
export function leakOf(owners: Map<string, string>, caller: string, text: string): string | null {
  const foreign: string[] = [];
  for (const [id] of text.matchAll(IDS)) {
    const owner = owners.get(id) ?? caller;
    owners.set(id, owner);
    if (owner !== caller) foreign.push(`${id} of ${owner}`);
  }
  return foreign.length === 0 ? null : `${caller} is shown ${foreign.join(', ')}`;
}
