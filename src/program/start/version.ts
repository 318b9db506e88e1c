import fs from 'node:fs';
import path from 'node:path';

/** Returns the version of this release. */
export function ownVersion(): string {
  const manifest = fs.readFileSync(path.join(import.meta.dirname, '..', '..', '..', 'package.json'), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
