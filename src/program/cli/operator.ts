import os from 'node:os';
import type { Requester } from '../../tenants/audit/actor.ts';
import { commandClock } from './command-clock.ts';
import { newId } from '../../kit/ids.ts';

/**
 * Returns the user who runs this command. Behind sudo it is the original user, because operators may share the service's
 * user.
 */
export function operator(): Requester & { address: string } {
  // Removes characters such as line breaks, which could forge a second line in the output of `audit show`.
  const id = (process.env.SUDO_USER || userName()).replace(/[^\w.@ -]/g, '').slice(0, 64);
  return { kind: 'operator', id, request_id: newId('req', 'live', commandClock.now()), address: os.hostname() };
}

/** Returns the user's name, or its number: in a container a user may have no name. */
function userName(): string {
  try {
    return os.userInfo().username;
  } catch {
    return `uid ${process.getuid?.()}`;
  }
}
