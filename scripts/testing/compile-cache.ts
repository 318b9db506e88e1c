import path from 'node:path';

/**
 * Environment with a folder for compiled sources. Tests start hundreds of processes, and the folder halves the cost of a start. Node
 * finds an entry by the content of the source, so no entry becomes outdated. A killed process writes no entries.
 */
export const COMPILE_CACHE = { NODE_COMPILE_CACHE: path.resolve('.cache/compiled') };
