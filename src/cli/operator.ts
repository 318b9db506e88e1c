import os from 'node:os';
import type { Actor } from '../audit/actor.ts';
import { commandClock } from './command-clock.ts';
import { newId } from '../kit/ids.ts';

/** Whoever runs this command: the person behind sudo rather than the service's user, whom all operators may share. */
export function operator(): Actor {
  // Whoever could write anything here could also write a second line into what `audit show` prints.
  const id = (process.env.SUDO_USER ?? userName()).replace(/[^\w.@ -]/g, '').slice(0, 64);
  return { kind: 'operator', id, request_id: newId('req', 'live', commandClock.now()), address: os.hostname() };
}

/** In a container the user may have a number and no name. */
function userName(): string {
  try {
    return os.userInfo().username;
  } catch {
    return `uid ${process.getuid?.()}`;
  }
}
