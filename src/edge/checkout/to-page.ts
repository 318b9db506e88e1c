import { isHostedToken } from '../../core/charge/hosted.ts';
import { type CheckoutContext, pathOf, type Shown, type Visit } from './context.ts';
import { notice } from './show.ts';

/** Redirects to the page of a payment. 404 for a token that this server did not create: it may contain what no header can. */
export function toPage(context: CheckoutContext, visit: Visit): Shown {
  return isHostedToken(context.deps, visit.token)
    ? { kind: 'redirect', to: pathOf(context, visit.token) }
    : notice(visit, 404, 'unknown');
}
