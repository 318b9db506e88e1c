import { createRequire } from 'node:module';
import { numberingPlans } from '../../providers/reference/phones.ts';

const load = createRequire(import.meta.url);

/**
 * Loads the packages that commands and tests load on first use. A service loads them before it accepts a request, because an upgrade
 * may replace files while it runs, and a request must not fail halfway because a file cannot be opened.
 */
export async function loadPackages(): Promise<void> {
  numberingPlans();
  load('undici/lib/dispatcher/agent.js');
  load('undici/lib/llhttp/llhttp_simd-wasm.js'); // undici would load it with its first connection
  await import('nodemailer');
}
