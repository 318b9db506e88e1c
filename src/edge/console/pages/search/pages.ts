import { Problem } from '../../../../kit/errors.ts';
import { type Answer, type ConsolePage, redirect, type TeamVisit, teamPage } from '../../page.ts';
import { withQuery } from '../../paths.ts';

/** A kind of object with an id, and its pages. */
interface Kind {
  prefix: string;
  /** The operation that retrieves it. */
  operation: string;
  /** Name of the object in the answer. */
  named: string;
  /** Paths of its pages, the preferred one first. Their parameters are taken from the object. */
  shownAt: readonly string[];
}

const KINDS: readonly Kind[] = [
  { prefix: 'trx', operation: 'GET /payments/:id', named: 'transaction', shownAt: ['/payments/:id'] },
  { prefix: 'rfd', operation: 'GET /refunds/:id', named: 'refund', shownAt: ['/payments/:payment'] },
  { prefix: 'dsp', operation: 'GET /disputes/:id', named: 'dispute', shownAt: ['/disputes/:id', '/payments/:payment'] },
  { prefix: 'cus', operation: 'GET /customers/:id', named: 'customer', shownAt: ['/customers/:id'] },
  { prefix: 'po', operation: 'GET /transfers/:id', named: 'transfer', shownAt: ['/payouts/:id'] },
  { prefix: 'ben', operation: 'GET /beneficiaries/:id', named: 'beneficiary', shownAt: ['/payouts/beneficiaries/:id'] },
  { prefix: 'inv', operation: 'GET /invoices/:id', named: 'invoice', shownAt: ['/invoices/:id'] },
  { prefix: 'lnk', operation: 'GET /links/:id', named: 'link', shownAt: ['/links/:id'] },
  { prefix: 'acct', operation: 'GET /accounts/:id', named: 'account', shownAt: ['/subaccounts/:id'] },
  {
    prefix: 'evt',
    operation: 'GET /events/:id',
    named: 'event',
    shownAt: ['/developers/events/:id', '/payments/:payment/events/:id'],
  },
];

/**
 * The search of the frame. An id redirects to the page of its object, any other text to the list of payments.
 * @param pages all other pages; an object without a page is searched among payments
 */
export function searchPages(pages: readonly ConsolePage[]): ConsolePage[] {
  const paths = new Set(pages.flatMap((page) => (page.who === 'team' && page.method === 'GET' ? [nameless(page.path)] : [])));
  return [teamPage({ method: 'GET', path: '/search', permission: 'payment.read', handle: (visit) => search(visit, paths) })];
}

async function search(visit: TeamVisit, paths: ReadonlySet<string>): Promise<Answer> {
  const text = (visit.query.q ?? '').trim();
  const kind = KINDS.find(({ prefix }) => new RegExp(`^${prefix}_(?:test_)?[0-9a-z]{26}$`).test(text));
  const path = kind ? await pathOf(visit, kind, text, paths) : null;
  return redirect(path === null ? withQuery(`${visit.base}/payments`, { search: text }) : visit.base + path);
}

/** Returns the path of the page that shows an object; null when there is no such object, or no page that this person may see. */
async function pathOf(visit: TeamVisit, kind: Kind, id: string, paths: ReadonlySet<string>): Promise<string | null> {
  const shown = kind.shownAt.find((path) => paths.has(nameless(path)));
  if (shown === undefined) return null;
  try {
    const { body } = await visit.api(kind.operation, { params: { id } });
    const found = (body as Record<string, Record<string, unknown>>)[kind.named] ?? {};
    const values: Record<string, unknown> = { payment: paymentOf(found), ...found };
    const names = [...shown.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
    if (names.some((name) => !values[name])) return null;
    return names.reduce((path, name) => path.replace(`:${name}`, String(values[name])), shown);
  } catch (error) {
    if (error instanceof Problem && (error.status === 404 || error.status === 403)) return null;
    throw error;
  }
}

/** Returns the payment of an event, or of the event's resource. */
function paymentOf({ data }: Record<string, unknown>): string {
  const { id, payment } = (data ?? {}) as Record<string, unknown>;
  const found = [id, payment].find((one) => typeof one === 'string' && one.startsWith('trx_'));
  return String(found ?? '');
}

function nameless(path: string): string {
  return path.replace(/:\w+/g, ':');
}
