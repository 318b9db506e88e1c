/** The two environments. The API key selects one; data never crosses between them (docs/contract/envelope.md). */
export type Environment = 'sandbox' | 'live';

export const ENVIRONMENTS: readonly Environment[] = ['sandbox', 'live'];

/** Returns whether the value is the name of an environment. */
export function isEnvironment(text: unknown): text is Environment {
  return ENVIRONMENTS.some((environment) => environment === text);
}
