const BROWSERS = [
  ['Edge', /Edg(?:e|A|iOS)?\//],
  ['Opera', /OPR\/|Opera/],
  ['Samsung Internet', /SamsungBrowser\//],
  ['Firefox', /Firefox\/|FxiOS\//],
  ['Chrome', /Chrome\/|CriOS\//],
  ['Safari', /Safari\//],
] as const;

const SYSTEMS = [
  ['Android', /Android/],
  ['iPhone', /iPhone/],
  ['iPad', /iPad/],
  ['Windows', /Windows/],
  ['macOS', /Mac OS X|Macintosh/],
  ['Linux', /Linux/],
] as const;

/** Names the browser and the system of a user agent, such as `Chrome · Android`; null when it names neither. */
export function knownAgent(agent: string): string | null {
  const names = [BROWSERS, SYSTEMS].flatMap((known) => known.find(([, form]) => form.test(agent))?.[0] ?? []);
  return names.length > 0 ? names.join(' · ') : null;
}

/** Names a user agent as {@link knownAgent} does, or by its beginning. */
export function agentName(agent: string): string {
  return knownAgent(agent) ?? (agent.slice(0, 60) || '—');
}
