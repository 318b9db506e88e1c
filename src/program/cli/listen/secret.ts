import { hkdfSync } from 'node:crypto';

/**
 * Returns the secret that signs forwarded events. It is derived from the key, so it is the same on every start and need not
 * be stored. The key cannot be derived from it.
 */
export function listeningSecret(key: string): string {
  return `whsec_${Buffer.from(hkdfSync('sha256', key, 'pirogue', 'listen', 32)).toString('hex')}`;
}
