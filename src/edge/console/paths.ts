/**
 * Returns a path of the console for a redirect after a form; the entry page when the given one is not ours. Only a path that begins
 * with `/console` is accepted, because `//host`, `/\\host` and `https://host` lead to another site.
 */
export function ownPath(given: string | undefined): string {
  if (given === undefined || !/^\/console(?:[/?]|$)/.test(given) || given.includes('\\')) return '/console/';
  const url = URL.parse(given, 'http://console.invalid');
  return url?.host === 'console.invalid' && url.pathname.startsWith('/console') ? url.pathname + url.search : '/console/';
}

/** Adds parameters to a path; those that are empty are left out. */
export function withQuery(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}
