/** The two stores; the key presented selects one and nothing crosses between them (spec section 1). */
export type Environment = 'sandbox' | 'live';

export const ENVIRONMENTS: readonly Environment[] = ['sandbox', 'live'];
