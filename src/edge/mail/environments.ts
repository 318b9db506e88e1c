import type { Environment } from '../../kit/environment.ts';

/** Names of the environments in French, within a sentence. English has the names of the API. */
export const FRENCH_ENVIRONMENTS: Readonly<Record<Environment, string>> = {
  sandbox: 'environnement sandbox',
  live: 'environnement de production',
};
