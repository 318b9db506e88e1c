import path from 'node:path';

/**
 * Tests start hundreds of processes: they keep their sources compiled there, which halves what a start costs. Node looks
 * by content, so nothing in it grows stale. Whoever ends by itself writes it; a killed process does not.
 */
export const COMPILE_CACHE = { NODE_COMPILE_CACHE: path.resolve('.cache/compiled') };
