import type { Draft } from '../kit/book.ts';
import { type Answer, type Call, jsonOf } from '../kit/calls.ts';
import type { Fault } from '../kit/faults.ts';
import { closedPage, leadsTo, payingPage, typedNumber } from '../kit/pages.ts';
import type { Kit } from '../kit/twin.ts';
import { draftOf, isAddress } from './charges.ts';
import { endingOf, refusal, success } from './words.ts';

const CURRENCIES = ['XAF', 'XOF', 'NGN', 'GHS', 'KES', 'UGX', 'RWF', 'TZS', 'ZMW', 'ZAR', 'USD', 'EUR', 'GBP'];

/** A hosted page; the book has its charge only once a payer has paid there, or tried to. */
interface Page {
  draft: Draft;
  redirect_url: string;
  /** What was drawn when it was opened: it befalls the charge. */
  fault: Fault;
  used: boolean;
}

/** The hosted pages: a number that is typed there stands for a card. */
export class Pages {
  readonly #kit: Kit;
  readonly #byId = new Map<string, Page>();

  constructor(kit: Kit) {
    this.#kit = kit;
  }

  open(call: Call): Answer {
    const fields = jsonOf(call) ?? {};
    const { redirect_url, session_duration } = fields;
    const customer = (fields.customer ?? {}) as Record<string, unknown>;
    if (!isAddress(customer.email)) return refusal(400, 'customer.email is required');
    if (typeof redirect_url !== 'string' || !URL.canParse(redirect_url)) return refusal(400, 'redirect_url must be a URL');
    if (session_duration !== undefined && !(Number.isInteger(session_duration) && Number(session_duration) <= 1_440)) {
      return refusal(400, 'session_duration must be at most 1440');
    }
    const draft = draftOf(fields, '', CURRENCIES, { payment_type: 'card' });
    if (typeof draft === 'string') return refusal(400, draft);
    if (call.fault === 'closed') return refusal(400, 'Payments are currently unavailable, try again later');
    const id = `p${this.#byId.size + 1}`;
    this.#byId.set(id, { draft, redirect_url, fault: call.fault, used: false });
    return success('Hosted Link', { link: `http://${call.headers.host}/v3/hosted/pay/${id}` });
  }

  show({ params }: Call): Answer {
    const page = this.#byId.get(params.id ?? '');
    if (!page) return closedPage(404, 'There is nothing to pay here.');
    return payingPage('Flutterwave', `${Number(page.draft.amount_minor) / 100} ${page.draft.currency}`);
  }

  async pay(call: Call): Promise<Answer> {
    const page = this.#byId.get(call.params.id ?? '');
    const msisdn = typedNumber(call);
    if (!page) return closedPage(404, 'There is nothing to pay here.');
    if (!msisdn) return closedPage(422, 'The number is wrong.');
    if (!page.used) {
      page.used = true;
      const { draft, fault } = page;
      await this.#kit.desk.take({ ...draft, msisdn }, endingOf('collect', draft.key, msisdn), fault);
    }
    // The browser is told, for the page it goes back to; nobody may believe it.
    return leadsTo(`${page.redirect_url}?status=completed&tx_ref=${page.draft.key}`);
  }
}
