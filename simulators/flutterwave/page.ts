import type { Draft } from '../kit/book.ts';
import { type Answer, type Call, jsonOf } from '../kit/calls.ts';
import type { Fault } from '../kit/faults.ts';
import { closedPage, leadsTo, payingPage, typedNumber } from '../kit/pages.ts';
import type { Kit } from '../kit/simulator.ts';
import { draftOf, isAddress } from './collect.ts';
import { endingOf, rejection, success } from './codes.ts';

const CURRENCIES = ['XAF', 'XOF', 'NGN', 'GHS', 'KES', 'UGX', 'RWF', 'TZS', 'ZMW', 'ZAR', 'USD', 'EUR', 'GBP'];

/** A hosted page. Its charge is in the book only after a payer has paid there, or tried to. */
interface Page {
  draft: Draft;
  redirect_url: string;
  /** The fault selected when the page was opened. It applies to the first charge. */
  fault: Fault;
  tries: number;
  /** Number of attempts after the first one that failed. */
  max_retries: number;
  closes_at: number;
}

const MAX_SESSION_MIN = 1_440;

/**
 * Returns how many attempts a page allows and how long it stays open. The parameter list has both options beside the
 * amount (Flutterwave Standard, payment details); most integrations send them within `configurations`. The setting
 * `page_options` (`configurations`) selects which of the two this account honours, never both. Without the options a
 * page stays payable.
 */
function optionsOf({ settings }: Kit, fields: Record<string, unknown>): { retries: unknown; minutes: unknown } {
  const nested = (fields.configurations ?? {}) as Record<string, unknown>;
  const { max_retry_attempt, session_duration } = settings.get('page_options') === 'configurations' ? nested : fields;
  return { retries: max_retry_attempt ?? Number.POSITIVE_INFINITY, minutes: session_duration ?? MAX_SESSION_MIN };
}

/** The hosted pages. A number entered there stands for a card. */
export class Pages {
  readonly #kit: Kit;
  readonly #byId = new Map<string, Page>();

  constructor(kit: Kit) {
    this.#kit = kit;
  }

  open(call: Call): Answer {
    const fields = jsonOf(call) ?? {};
    const { redirect_url } = fields;
    const { retries, minutes } = optionsOf(this.#kit, fields);
    const customer = (fields.customer ?? {}) as Record<string, unknown>;
    if (!isAddress(customer.email)) return rejection(400, 'customer.email is required');
    if (typeof redirect_url !== 'string' || !URL.canParse(redirect_url)) return rejection(400, 'redirect_url must be a URL');
    if (!(Number.isInteger(minutes) && Number(minutes) > 0 && Number(minutes) <= MAX_SESSION_MIN)) {
      return rejection(400, 'session_duration must be at most 1440');
    }
    const draft = draftOf(fields, '', CURRENCIES, { payment_type: 'card' });
    if (typeof draft === 'string') return rejection(400, draft);
    if (call.fault === 'closed') return rejection(400, 'Payments are currently unavailable, try again later');
    const id = `p${this.#byId.size + 1}`;
    this.#byId.set(id, {
      ...{ draft, redirect_url, fault: call.fault, tries: 0, max_retries: Number(retries) },
      closes_at: this.#kit.options.now() + Number(minutes) * 60_000,
    });
    return success('Hosted Link', { link: `http://${call.headers.host}/v3/hosted/pay/${id}` });
  }

  show({ params }: Call): Answer {
    const page = this.#byId.get(params.id ?? '');
    if (!page || this.#isClosed(page)) return closedPage(404, 'There is nothing to pay here.');
    return payingPage('Flutterwave', `${Number(page.draft.amount_minor) / 100} ${page.draft.currency}`);
  }

  async pay(call: Call): Promise<Answer> {
    const page = this.#byId.get(call.params.id ?? '');
    const msisdn = typedNumber(call);
    if (!page || this.#isClosed(page)) return closedPage(404, 'There is nothing to pay here.');
    if (!msisdn) return closedPage(422, 'The number is wrong.');
    const { draft } = page;
    // A further attempt is a transaction of its own under the same tx_ref. There is none while one is pending or paid.
    if (this.#kit.book.created(draft.key).every(({ state }) => state === 'failed')) {
      page.tries++;
      const fault = page.tries === 1 ? page.fault : 'none';
      await this.#kit.operations.create({ ...draft, msisdn }, endingOf('collect', draft.key, msisdn), fault);
    }
    // The browser receives the status in the return address, which must not be trusted.
    return leadsTo(`${page.redirect_url}?status=completed&tx_ref=${page.draft.key}`);
  }

  #isClosed({ closes_at, tries, max_retries }: Page): boolean {
    return this.#kit.options.now() >= closes_at || tries > max_retries;
  }
}
