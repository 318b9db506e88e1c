/** The two stores; the key presented selects one and nothing crosses between them (docs/contract/envelope.md). */
export type Environment = 'sandbox' | 'live';

export const ENVIRONMENTS: readonly Environment[] = ['sandbox', 'live'];
