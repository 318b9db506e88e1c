import { randomBytes } from 'node:crypto';
import type { Entry } from '../../kit/book.ts';
import { type Answer, type Call, jsonOf, type SimulatorRoute } from '../../kit/calls.ts';
import { type Ending, failsWith, SUCCEEDS } from '../../kit/operations.ts';
import { type Outcome, outcomeOf, minorOf } from '../../kit/outcomes.ts';
import type { Kit, SimulatorKind } from '../../kit/simulator.ts';
import { Access, UNAUTHORISED } from '../access.ts';

const CLIENT = { id: 'twin-of-orange-cm-key', secret: 'twin-of-orange-cm-secret' };
const CHANNEL = { user: 'twin-of-channel-user', password: 'twin-of-channel-password', msisdn: '691000001', pin: '73190462' };
const TOKEN_SECONDS = 3_600;
const FOLDER = '/omcoreapis/1.0.2/mp';
const FIELDS = ['notifUrl', 'channelUserMsisdn', 'amount', 'subscriberMsisdn', 'pin', 'orderId', 'description', 'payToken'];
/** Last six digits of numbers that are rejected immediately, before anything is created. */
const REJECTED_SUFFIX = '000005';

/** Results in Orange's texts, which contain no code. EXPIRED and CANCELLED are statuses. */
const ENDINGS: Record<Outcome, Ending> = {
  succeeds: SUCCEEDS,
  insufficient_funds: failsWith('Le solde du compte du payeur est insuffisant'),
  declined: failsWith('Utilisateur bloqué'),
  times_out: failsWith('EXPIRED', 2),
  payer_refuses: failsWith('CANCELLED'),
  recipient_unregistered: failsWith('Abonné introuvable'),
  invalid_recipient: failsWith('Abonné introuvable'),
  refund_fails: failsWith('Erreur'),
};

/** Orange Money Cameroon, server to server. Setting: `token_seconds` (lifetime of tokens). */
export const orangeMoneyCameroonSimulator: SimulatorKind = {
  name: 'orange-money-cm',
  credentials: (url) => ({
    ...{ consumer_key: CLIENT.id, consumer_secret: CLIENT.secret, channel_user: CHANNEL.user },
    ...{ channel_password: CHANNEL.password, channel_msisdn: CHANNEL.msisdn, channel_pin: CHANNEL.pin, base_url: url },
  }),
  wire: (kit) => {
    const access = new Access(CLIENT, () => Number(kit.settings.get('token_seconds') ?? TOKEN_SECONDS));
    const payments = new Payments(kit);
    const route = (
      method: string,
      path: string,
      doing: SimulatorRoute['doing'],
      answer: SimulatorRoute['answer'],
    ): SimulatorRoute => ({
      ...{ method, path: FOLDER + path, doing },
      answer: (call) => access.denial(call) ?? channelDenial(call) ?? answer(call),
    });
    return {
      routes: [
        access.route('/token'),
        route('POST', '/init', 'other', () => payments.init()),
        route('POST', '/pay', 'create', (call) => payments.pay(call)),
        route('GET', '/paymentstatus/:token', 'read', (call) => payments.show(call.params.token ?? '')),
      ],
      namesOf: (call) => payments.namesOf(call),
      compose: (entry, { stage, forged }) => {
        const actual = stage === 'interim' ? 'PENDING' : statusOf(entry);
        const status = forged ? (actual === 'SUCCESSFULL' ? 'FAILED' : 'SUCCESSFULL') : actual;
        const body = JSON.stringify({ payToken: entry.wire.payToken, status, message: '' });
        return { method: 'POST', url: String(entry.callback_url), headers: { 'content-type': 'application/json' }, body };
      },
      answers: {
        throttled: rejection(429, 'Message throttled out'),
        unauthorised: UNAUTHORISED,
        broken: rejection(500, 'Erreur interne'),
        missing: rejection(404, 'No matching resource found'),
      },
    };
  },
};

function rejection(status: number, message: string): Answer {
  return { status, body: { message } };
}

function channelDenial({ headers }: Call): Answer | null {
  const expected = Buffer.from(`${CHANNEL.user}:${CHANNEL.password}`).toString('base64');
  return headers['x-auth-token'] === expected ? null : rejection(401, 'X-AUTH-TOKEN invalide');
}

/** Pay tokens and the payments requested with them. */
class Payments {
  readonly #kit: Kit;
  /** The orders by token; null: not used yet. */
  readonly #orders = new Map<string, string | null>();

  constructor(kit: Kit) {
    this.#kit = kit;
  }

  init(): Answer {
    const payToken = `MP${randomBytes(16).toString('hex').toUpperCase()}`;
    this.#orders.set(payToken, null);
    return { status: 200, body: { message: 'Payment request successfully initiated', data: { payToken } } };
  }

  async pay(call: Call): Promise<Answer> {
    const fields = jsonOf(call) ?? {};
    if (FIELDS.some((name) => typeof fields[name] !== 'string' || fields[name] === '')) {
      return rejection(400, 'Requête invalide');
    }
    const { payToken, orderId, subscriberMsisdn, notifUrl, amount } = fields as Record<string, string>;
    const amount_minor = minorOf(amount);
    if (!payToken || !orderId || amount_minor === null || amount_minor % 100n !== 0n) return rejection(400, 'Requête invalide');
    if (fields.channelUserMsisdn !== CHANNEL.msisdn) return rejection(417, 'Canal introuvable');
    if (fields.pin !== CHANNEL.pin) return rejection(417, 'Code PIN incorrect');
    if (!/^6\d{8}$/.test(String(subscriberMsisdn)) || subscriberMsisdn?.endsWith(REJECTED_SUFFIX)) {
      return rejection(417, 'Bénéficiaire introuvable');
    }
    const used = this.#orders.get(payToken);
    if (used === undefined) return rejection(404, 'PayToken inconnu');
    if (used !== null) return rejection(417, 'PayToken déjà utilisé');
    if (call.fault === 'closed') return rejection(503, 'Service indisponible');
    this.#orders.set(payToken, orderId);
    const msisdn = `237${subscriberMsisdn}`;
    const draft = { kind: 'collect', key: orderId, amount_minor, currency: 'XAF', msisdn, of: null } as const;
    const wire = { payToken, description: fields.description, channelUserMsisdn: fields.channelUserMsisdn };
    const ending = ENDINGS[outcomeOf('collect', msisdn)];
    const entry = await this.#kit.operations.create({ ...draft, callback_url: String(notifUrl), wire }, ending, call.fault);
    return envelope('Merchant payment successfully initiated', presented(entry, 'PENDING'));
  }

  show(payToken: string): Answer {
    const order = this.#orders.get(payToken);
    if (order === undefined) return rejection(404, 'PayToken inconnu');
    const entry = order === null ? undefined : this.#kit.book.visible(order);
    const data = entry ? presented(entry, statusOf(entry)) : { payToken, status: 'INITIATED' };
    return envelope('Transaction retrieved successfully', data);
  }

  namesOf(call: Call): string[] {
    const { orderId, subscriberMsisdn } = jsonOf(call) ?? {};
    const names = [orderId, subscriberMsisdn, this.#orders.get(call.params.token ?? '')];
    return names.filter((name) => typeof name === 'string');
  }
}

function envelope(message: string, data: object): Answer {
  return { status: 200, body: { message, data } };
}

function statusOf({ state, word }: Entry): string {
  if (state !== 'failed') return state === 'pending' ? 'PENDING' : 'SUCCESSFULL';
  return word === 'EXPIRED' || word === 'CANCELLED' ? word : 'FAILED';
}

function presented({ key, ref, msisdn, amount_minor, wire, word, callback_url }: Entry, status: string): object {
  return {
    ...{ id: Number(ref), createtime: '1763719200', subscriberMsisdn: msisdn.slice(3), amount: Number(amount_minor / 100n) },
    ...{ payToken: wire.payToken, txnid: `MP261121.1200.A${ref.slice(-5)}`, txnmode: key },
    ...{ inittxnmessage: 'Paiement initié avec succès', inittxnstatus: '200' },
    ...{ confirmtxnstatus: status === 'PENDING' ? null : '200', confirmtxnmessage: status === 'FAILED' ? word : null },
    ...{ status, notifUrl: callback_url, description: wire.description, channelUserMsisdn: wire.channelUserMsisdn },
  };
}
