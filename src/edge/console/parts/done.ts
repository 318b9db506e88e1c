import type { Visit } from '../page.ts';

/** Returns the message about what was done a moment ago, which the address names; undefined without one. */
export function doneText({ query }: Visit, messages: Readonly<Record<string, string>>): string | undefined {
  const { done } = query;
  return done !== undefined && Object.hasOwn(messages, done) ? messages[done] : undefined;
}
