import type { ConsoleDeps } from './deps.ts';
import { generalPages } from './pages/general/pages.ts';
import { paymentPages } from './pages/payments/pages.ts';
import type { ConsolePage } from './page.ts';

/** Returns every page and action of the console. */
export function consolePagesOf(deps: ConsoleDeps): ConsolePage[] {
  return [...generalPages(deps), ...paymentPages()];
}
