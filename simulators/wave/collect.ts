import { randomBytes } from 'node:crypto';
import type { Entry } from '../kit/book.ts';
import { type Answer, type Call, jsonOf } from '../kit/calls.ts';
import { type Ending, failsWith, SUCCEEDS } from '../kit/operations.ts';
import type { Fault } from '../kit/faults.ts';
import { amountText, type Outcome, outcomeOf } from '../kit/outcomes.ts';
import { closedPage, leadsTo, payingPage, typedNumber } from '../kit/pages.ts';
import type { Kit } from '../kit/simulator.ts';
import { error, executionError, francs, invalid, msisdnOf, StoredErrors } from './codes.ts';

/** A checkout session. It is in the book only after a payer has paid, or tried to. */
export interface Session {
  id: string;
  amount_minor: bigint;
  client_reference: string;
  success_url: string;
  error_url: string;
  /** Digits of the only wallet that may pay; null: any. */
  restricted_to: string | null;
  /** The fault selected when the session was created. It applies to the payment. */
  fault: Fault;
  made_at: number;
  wave_launch_url: string;
  used: boolean;
  given_up: boolean;
  refund: Entry | null;
}

const LIVES_MS = 30 * 60_000;
/** The wallet of a recipient or payer for which refunds fail. */
const REFUND_FAILS = '000009';

/** A payer whose payment fails gives up and the session ends, as if its 30 minutes had passed. */
const ENDINGS: Record<Outcome, Ending> = {
  succeeds: SUCCEEDS,
  insufficient_funds: failsWith('insufficient-funds'),
  declined: failsWith('payment-failure'),
  times_out: failsWith('', 2),
  payer_refuses: failsWith(''),
  recipient_unregistered: failsWith('payment-failure'),
  invalid_recipient: failsWith('payment-failure'),
  refund_fails: failsWith('payment-failure'),
};

/** The wallet's checkout sessions. */
export class Sessions {
  readonly #kit: Kit;
  readonly #byId = new Map<string, Session>();
  readonly #errors = new StoredErrors();

  constructor(kit: Kit) {
    this.#kit = kit;
  }

  create(call: Call): Answer {
    const { amount, currency, success_url, error_url, client_reference, restrict_payer_mobile } = jsonOf(call) ?? {};
    const amount_minor = francs(amount);
    const restricted_to = restrict_payer_mobile === undefined ? null : msisdnOf(restrict_payer_mobile);
    if (amount_minor === null) return invalid('amount');
    if (currency !== 'XOF') return invalid('currency');
    if (!isUrl(success_url) || !isUrl(error_url)) return invalid('success_url');
    if (restrict_payer_mobile !== undefined && restricted_to === null) return invalid('restrict_payer_mobile');
    if (typeof client_reference !== 'string' || client_reference.length > 255) return invalid('client_reference');
    if (call.fault === 'closed') return error(503, 'service-unavailable', 'The service is not available.');
    const id = `cos-${randomBytes(9).toString('hex')}`;
    const session: Session = {
      ...{ id, amount_minor, client_reference, success_url, error_url, restricted_to, fault: call.fault },
      ...{ made_at: this.#kit.options.now(), wave_launch_url: `http://${call.headers.host}/c/${id}` },
      ...{ used: false, given_up: false, refund: null },
    };
    this.#byId.set(id, session);
    return { status: 200, body: this.presented(session) };
  }

  show(call: Call): Answer {
    const session = this.#byId.get(call.params.id ?? '');
    return session ? { status: 200, body: this.presented(session) } : notFound();
  }

  search(call: Call): Answer {
    const wanted = call.query.get('client_reference');
    const found = [...this.#byId.values()].filter(({ client_reference }) => client_reference === wanted);
    return { status: 200, body: { result: found.map((session) => this.presented(session)) } };
  }

  async expire(call: Call): Promise<Answer> {
    const session = this.#byId.get(call.params.id ?? '');
    if (!session) return notFound();
    const entry = this.#entryOf(session);
    if (this.#isOver(session) || (entry && entry.state !== 'pending')) {
      return error(409, 'checkout-session-not-open', 'The session is complete or has expired.');
    }
    session.given_up = true;
    if (entry) await this.#kit.operations.complete(entry, failsWith(''));
    return { status: 200, body: null };
  }

  /** Refunds a session: immediately, in full, and only once however often it is requested. */
  refund(call: Call): Answer {
    const session = this.#byId.get(call.params.id ?? '');
    const entry = session && this.#entryOf(session);
    if (!session) return notFound();
    if (entry?.state !== 'succeeded') return error(409, 'checkout-session-not-complete', 'There is nothing to refund.');
    if (session.refund) return { status: 200, body: null };
    const key = String(call.headers['idempotency-key']);
    const stored = this.#errors.of(key, session.id);
    if (stored) return stored;
    if (call.fault === 'closed') return error(503, 'service-unavailable', 'The service is not available.');
    const fails = (code: string, text: string) => this.#errors.store(key, session.id, executionError(422, code, text));
    if (call.fault === 'float_exhausted') return fails('insufficient-funds', 'The wallet does not hold enough.');
    if (entry.msisdn.endsWith(REFUND_FAILS)) return fails('checkout-refund-failed', 'The refund failed.');
    const { amount_minor, currency, msisdn } = entry;
    const { book, options } = this.#kit;
    const refund = book.add({
      ...{ kind: 'refund', key, amount_minor, currency, msisdn, of: entry.key, callback_url: null, wire: {} },
    });
    book.settle(refund, 'succeeded', null);
    if (call.fault === 'lagging') refund.visible_at += options.lag_ms;
    session.refund = refund;
    return { status: 200, body: null };
  }

  page(call: Call): Answer {
    const session = this.#byId.get(call.params.id ?? '');
    if (!session || this.#isOver(session)) return closedPage(404, 'Ce paiement n’est plus ouvert.');
    return payingPage('Wave', `${amountText(session.amount_minor, 0)} XOF`);
  }

  /** Processes a payment in the app: one attempt, after which a payer with insufficient funds gives up. */
  async pay(call: Call): Promise<Answer> {
    const session = this.#byId.get(call.params.id ?? '');
    const msisdn = typedNumber(call);
    if (!session || this.#isOver(session)) return closedPage(404, 'Ce paiement n’est plus ouvert.');
    if (!msisdn) return closedPage(422, 'Ce numéro est incorrect.');
    if (!session.used) {
      session.used = true;
      const mismatch = session.restricted_to !== null && session.restricted_to !== msisdn;
      const ending = mismatch ? failsWith('payer-mobile-mismatch') : ENDINGS[outcomeOf('collect', msisdn)];
      const { client_reference: key, amount_minor, id } = session;
      const draft = { kind: 'collect', key, amount_minor, currency: 'XOF', msisdn, of: null, callback_url: null } as const;
      await this.#kit.operations.create({ ...draft, wire: { session: id } }, ending, session.fault);
    }
    return leadsTo(session.success_url);
  }

  /** Returns the session of a payment. */
  sessionOf(entry: Entry): Session | undefined {
    return this.#byId.get(String(entry.wire.session));
  }

  /** Returns the keys of a session and of its refund. Both are queried by reading the session. */
  namesOf(call: Call): string[] {
    const session = this.#byId.get(call.params.id ?? '');
    if (!session) return [];
    return session.refund ? [session.client_reference, session.refund.key] : [session.client_reference];
  }

  /**
   * Returns the session in wire format.
   * @param as values in which a webhook differs from the stored session
   */
  presented(session: Session, as: { amount_minor?: bigint; open_after?: string } = {}): object {
    const entry = this.#visible(session);
    const over = this.#isOver(session) || entry?.state === 'failed';
    const word = as.open_after ?? (entry?.state === 'failed' ? entry.word : '');
    const complete = as.open_after === undefined && entry?.state === 'succeeded';
    const refunded = session.refund && session.refund.visible_at <= Date.now();
    return {
      ...{ id: session.id, amount: amountText(as.amount_minor ?? session.amount_minor, 0), currency: 'XOF' },
      ...{ business_name: 'Simulator', client_reference: session.client_reference },
      checkout_status: complete ? 'complete' : over && as.open_after === undefined ? 'expired' : 'open',
      payment_status: complete ? 'succeeded' : over && as.open_after === undefined ? 'cancelled' : 'processing',
      last_payment_error: word ? { code: word, message: word.replaceAll('-', ' ') } : null,
      ...{ success_url: session.success_url, error_url: session.error_url, wave_launch_url: session.wave_launch_url },
      transaction_id: complete ? `T_${entry?.ref}` : null,
      when_created: new Date(session.made_at).toISOString(),
      when_expires: new Date(session.made_at + LIVES_MS).toISOString(),
      when_completed: complete && entry?.settled_at ? new Date(entry.settled_at).toISOString() : null,
      ...(refunded ? { when_refunded: new Date(session.refund?.settled_at ?? 0).toISOString() } : {}),
    };
  }

  #isOver({ given_up, used, made_at }: Session): boolean {
    return given_up || (!used && this.#kit.options.now() - made_at > LIVES_MS);
  }

  #entryOf(session: Session): Entry | undefined {
    return this.#kit.book.created(session.client_reference).find(({ wire }) => wire.session === session.id);
  }

  /** Returns the entry when the status endpoint already shows it. */
  #visible(session: Session): Entry | undefined {
    const entry = this.#entryOf(session);
    return entry && entry.visible_at <= Date.now() ? entry : undefined;
  }
}

function isUrl(text: unknown): text is string {
  return typeof text === 'string' && URL.canParse(text);
}

function notFound(): Answer {
  return error(404, 'checkout-session-not-found', 'There is no such session.');
}
