/**
 * What a request is for: an operation of the document; the form of a payment's page, which charges as an operation does; a page of
 * the console; or another page, a callback or a probe.
 */
export type Target = 'operation' | 'charge' | 'console' | 'page';

/** Statuses of ours that are expected; any other from 500 on is a defect. 502: no provider could take the charge; 501: only the sandbox has it. */
const EXPECTED: Record<Target, readonly number[]> = { operation: [501, 502], charge: [502], console: [501], page: [] };
const WITHOUT_BODY = new Set(['HEAD', 'OPTIONS']);
/** Texts of the run that only an unescaped page contains. */
const MARKUP = /<script>fuzz|<img src=x/;

export interface Answered {
  status: number;
  /** Content-Type; null without. */
  type: string | null;
  text: string;
}

/** Returns what is wrong with an answer, whatever the document says of its JSON; null when nothing is. */
export function faultOf(method: string, target: Target, { status, type, text }: Answered): string | null {
  if (status >= 500 && !EXPECTED[target].includes(status)) return `status ${status}`;
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
