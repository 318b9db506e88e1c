import type { HttpDeps } from '../http/deps.ts';
import type { Secrets } from '../../kit/crypto.ts';

/** The dependencies of the console. */
export interface ConsoleDeps extends HttpDeps {
  secrets: Secrets;
}
