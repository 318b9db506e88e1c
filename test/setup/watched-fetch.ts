import type { Contract } from '../openapi/contract.ts';

/** Services of this process, by origin, each with its contract. */
const watched = new Map<string, () => Contract>();

/** For tests of answers that an earlier release kept: the document is that of the newest version. */
export const plainFetch = globalThis.fetch;

/**
 * From now on every answer of the service that `fetch` brings is also held against the document, whatever the test is about and
 * whoever asks (a test, an SDK client, an example).
 * @returns ends it
 */
export function watchFetch(origin: string, contract: () => Contract): () => void {
  watched.set(origin, contract);
  globalThis.fetch = checked;
  return () => {
    watched.delete(origin);
  };
}

const checked: typeof fetch = async (input, init) => {
  const response = await plainFetch(input, init);
  const request = input instanceof Request ? input : { url: String(input), method: 'GET' };
  const { origin, pathname, search } = new URL(request.url);
  const contract = watched.get(origin);
  if (!contract || !response.headers.get('content-type')?.startsWith('application/json')) return response;
  const method = (init?.method ?? request.method).toUpperCase();
  const { status, headers } = response;
  const text = await response.clone().text();
  if (text !== '') contract().check(method, pathname + search, { status, headers, body: JSON.parse(text) });
  return response;
};
