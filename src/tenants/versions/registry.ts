import { Versions } from './versions.ts';

/**
 * The versions of this API. A new version is a file in this folder, listed here, oldest first
 * (docs/decisions/0024-versions.md).
 */
export const versions = new Versions('2026-08-01', []);
