import { hkdfSync } from 'node:crypto';

/**
 * What forwarded events are signed with. Made of the key, so that it is the same on every start and nowhere kept; whoever
 * has it can not tell the key.
 */
export function listeningSecret(key: string): string {
  return `whsec_${Buffer.from(hkdfSync('sha256', key, 'pirogue', 'listen', 32)).toString('hex')}`;
}
