import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { SendResult } from '../../src/kit/fetch.ts';
import { newId } from '../../src/kit/ids.ts';
import { CONNECTORS } from '../../src/providers/adapters/catalogue.ts';
import type { Connector } from '../../src/providers/adapters/connector.ts';
import type { Collection, Offer, Payout, Provider, Refund } from '../../src/providers/adapters/contract.ts';
import { channelById } from '../../src/providers/reference/channels.ts';
import { SIMULATORS } from '../../simulators/catalogue.ts';
import { type Simulator, startSimulator } from '../../simulators/kit/simulator.ts';
import { until } from '../setup/api.ts';
import type { Line } from './fixture.ts';
import { BODIES, HostileAccount, type Hostility, mutationsOf, STATUSES, withBody } from './hostile.ts';
import { collectionOn, payOnPage } from './pieces.ts';
import { checkOutcome, type Method } from './unions.ts';
import { answered } from './wire-stub.ts';

/** Before the last six digits of a number, by country: where lines are tried. */
const STEMS: Record<string, string> = {
  ...{ cm: '+237653', ci: '+2250503', sn: '+221771', ke: '+254708', gh: '+233243', ng: '+2348032', bf: '+22657' },
  ...{ ml: '+22370', tg: '+22890', gn: '+224621', cd: '+243813', ug: '+256771', zm: '+260763', tz: '+255741', rw: '+250783' },
};

type Operation = 'collect' | 'payout' | 'refund';

/** What may be said in answer to something unknown, because a document says what such an answer means whatever is in it. */
interface Exception {
  operation: Operation;
  step: 'submit' | 'read';
  kinds: readonly string[];
  applies(status: number, body: unknown): boolean;
  source: string;
}

const OPERATIONS = ['collect', 'payout', 'refund'] as const;

/** A rejection by status alone: nothing was created. @param kinds what may be said of it besides */
function rejectedBy(statuses: readonly number[], source: string, kinds: readonly string[] = []): Exception[] {
  const applies = (status: number) => statuses.includes(status);
  return OPERATIONS.map((operation) => ({ operation, step: 'submit', kinds: ['unavailable', ...kinds], applies, source }));
}

/** By connector; docs/providers.md repeats them. One that is not here, such as the next that is added, has none. */
const EXCEPTIONS: Record<string, readonly Exception[]> = {
  pawapay: rejectedBy(
    [400, 401, 403, 404, 429],
    'pawaPay v2, Failure codes: every code with HTTP 400, 401 or 403 tells of a request that could not be authenticated or parsed',
  ),
  flutterwave: [
    ...rejectedBy([401, 403, 404, 429], 'Flutterwave v3, Errors: the key is wrong, may not do this, or asks too often'),
    ...rejectedBy([400], 'Flutterwave v3, Errors: 400, the request was not accepted', ['failed']),
  ],
  cinetpay: rejectedBy(
    [400, 401, 403, 404, 429],
    'CinetPay, Checkout and Transfer, tables of codes: a request that is not accepted creates nothing',
  ),
  'mpesa-daraja': rejectedBy([400, 401, 403, 404, 429], 'Daraja, M-Pesa Express, error response parameters'),
  'orange-money': [],
  'orange-money-cm': rejectedBy([401, 403, 429], 'Orange developer portal, API gateway: rejected before the API is reached'),
  'mtn-momo': [
    ...rejectedBy([400, 401, 403, 404, 429], 'MTN MoMo API: 400 Bad Request, invalid data was sent in the request'),
    ...OPERATIONS.flatMap((operation): Exception[] => [
      {
        ...{ operation, step: 'submit', kinds: ['accepted', 'pending'], applies: (status) => status === 202 },
        source: 'MTN MoMo API, RequestToPay, Transfer, Refund: 202 Accepted, which has no body',
      },
      {
        ...{ operation, step: 'submit', kinds: ['duplicate', 'pending'], applies: (status) => status === 409 },
        source: 'MTN MoMo API: 409 Conflict, duplicated reference id',
      },
    ]),
  ],
  wave: [
    ...rejectedBy([400, 401, 403, 404], 'Wave Business API, error codes: the request returns early'),
    {
      ...{ operation: 'refund', step: 'submit', kinds: ['succeeded'] },
      applies: (status, body) => status === 200 && body === '',
      source: 'Wave Checkout API, refund a session: 200 with an empty body',
    },
  ],
};

const UNSURE = ['unknown', 'unreadable'];

/** One thing at the provider that a submission makes and a read finds. */
interface Subject {
  submit(provider: Provider): Promise<{ kind: string }>;
  read(provider: Provider): Promise<{ kind: string }>;
  /** Submits it to the simulator and waits for its end. */
  settle(): Promise<void>;
}

/** The way of an account that is tried: the first for each kind of channel. */
function lineOf(offers: readonly Offer[], operation: 'collect' | 'payout'): Line[] {
  const lines = new Map<string, Line>();
  for (const { channel, currency, operations } of offers) {
    const known = channelById(channel);
    const stem = STEMS[channel.slice(0, 2)];
    if (
      !known ||
      !stem ||
      !operations.includes(operation) ||
      lines.has(known.kind) ||
      channel.endsWith('.wave') !== isWave(offers)
    )
      continue;
    const { id, kind, country } = known;
    lines.set(kind, { channel: { id, kind, country }, currency, amount_minor: 1_235_00n, stem });
  }
  return [...lines.values()];
}

/** An aggregator's Wave is a page like others; an account that has nothing else is tried with it. */
function isWave(offers: readonly Offer[]): boolean {
  return offers.every(({ channel }) => channel.endsWith('.wave'));
}

class Stand {
  readonly connector: Connector;
  simulator!: Simulator;
  account!: HostileAccount;
  now = Date.now();

  constructor(connector: Connector) {
    this.connector = connector;
  }

  async open(): Promise<void> {
    const kind = SIMULATORS.find(({ name }) => name === this.connector.name);
    assert.ok(kind, `${this.connector.name} needs a simulator`);
    this.simulator = await startSimulator(kind, { delay_ms: 5 });
    this.account = new HostileAccount(this.connector, this.simulator, () => this.now);
    // What is offered may be read in the background first.
    this.account.provider.offers();
    await until(
      async () => this.account.under_way,
      (count) => count === 0,
    );
  }

  lines(operation: 'collect' | 'payout'): Line[] {
    return lineOf(this.account.provider.offers() ?? [], operation);
  }

  collection(line: Line, digits?: string): Collection {
    const kept = collectionOn(this.account.provider, line, digits);
    kept.submitted_at = this.now;
    return kept;
  }

  collect(line: Line, digits?: string): Subject & { kept: Collection } {
    const kept = this.collection(line, digits);
    const submit = async (provider: Provider, order: Collection) => {
      const prepared = await provider.prepare?.({ ...order });
      if (prepared && prepared.kind !== 'ready') return { ...prepared, prepared: true };
      const handle = prepared?.handle ?? null;
      return { ...(await provider.submit({ ...order, handle })), handle };
    };
    return {
      kept,
      submit: (provider) => submit(provider, kept),
      read: (provider) => provider.read({ ...kept }),
      settle: async () => {
        const said = await submit(this.account.provider, kept);
        assert.ok(said.kind === 'accepted', JSON.stringify(said));
        kept.handle = said.handle;
        kept.provider_ref = said.provider_ref;
        await payOnPage(said, kept);
        await this.simulator.idle();
      },
    };
  }

  payout(line: Line, digits = '511115'): Subject {
    const transfer_id = newId('po', 'live', Date.now());
    const { provider } = this.account;
    const kept: Payout = {
      ...{ transfer_id, provider_key: provider.keyOf(transfer_id), provider_ref: null },
      ...{ amount_minor: line.amount_minor, currency: line.currency, channel: line.channel, description: 'Salaire' },
      recipient: { name: 'Awa N.', phone: line.stem + digits, account_number: '0690000031', bank_code: '044' },
      ...{ callback_url: 'http://127.0.0.1:9/x', submitted_at: this.now },
    };
    return {
      submit: async (by) => (await by.payouts?.submit({ ...kept })) ?? assert.fail('no payouts'),
      read: async (by) => (await by.payouts?.read({ ...kept })) ?? assert.fail('no payouts'),
      settle: async () => {
        const said = await provider.payouts?.submit({ ...kept });
        assert.ok(said && ['pending', 'succeeded', 'failed'].includes(said.kind), JSON.stringify(said));
        if (said.kind === 'pending') kept.provider_ref = said.provider_ref;
        await this.simulator.idle();
      },
    };
  }

  async refund(line: Line, digits?: string): Promise<Subject> {
    const { provider } = this.account;
    const sale = this.collect(line, digits);
    await sale.settle();
    const refund_id = newId('rfd', 'live', Date.now());
    const part = provider.refunds?.extent === 'partial' ? 100_00n : 0n;
    const kept: Refund = {
      ...{ refund_id, provider_key: provider.keyOf(refund_id), provider_ref: null, currency: line.currency },
      ...{ amount_minor: line.amount_minor - part, collection: sale.kept },
      ...{ callback_url: 'http://127.0.0.1:9/x', submitted_at: this.now },
    };
    return {
      submit: async (by) => (await by.refunds?.submit({ ...kept })) ?? assert.fail('no refunds'),
      read: async (by) => (await by.refunds?.read({ ...kept })) ?? assert.fail('no refunds'),
      settle: async () => {
        const said = await provider.refunds?.submit({ ...kept });
        if (said && 'provider_ref' in said) kept.provider_ref = said.provider_ref;
        await this.simulator.idle();
      },
    };
  }

  /** Every subject of one kind the connector can have; none where it lacks the operation. */
  async subjects(operation: Operation, digits?: string): Promise<Subject[]> {
    const { provider } = this.account;
    if (operation === 'collect') return this.lines('collect').map((line) => this.collect(line, digits));
    if (operation === 'payout') return provider.payouts ? this.lines('payout').map((line) => this.payout(line, digits)) : [];
    if (!provider.refunds) return [];
    return Promise.all(this.lines('collect').map((line) => this.refund(line, digits)));
  }
}

const METHODS: Record<Operation, Record<'submit' | 'read', Method>> = {
  collect: { submit: 'submit', read: 'read' },
  payout: { submit: 'payouts.submit', read: 'payouts.read' },
  refund: { submit: 'refunds.submit', read: 'refunds.read' },
};
/** Statuses that mostly stand for a rejection: only where a document says so. */
const REJECTIONS = [400, 401, 403, 404, 409, 429];
const ENDED = ['succeeded', 'failed', 'cancelled', 'expired', 'refused', 'unfunded'];

for (const connector of CONNECTORS) {
  suite(`${connector.name}: undocumented responses prove nothing`, () => {
    const stand = new Stand(connector);
    before(() => stand.open());
    after(() => stand.simulator?.stop());

    for (const operation of ['collect', 'payout', 'refund'] as const) {
      for (const step of ['submit', 'read'] as const) {
        test(`${operation}, ${step}: undocumented codes, statuses and shapes are unknown`, () =>
          isUnsure(stand, operation, step));
      }
      test(`${operation}: a submission whose response has one field changed stays accepted`, () => takingStays(stand, operation));
      test(`${operation}: a response with one field changed never gives another final status`, () => endsStay(stand, operation));
    }

    test('a balance that cannot be read is unreadable', async () => {
      const { account } = stand;
      for (const hostility of hostilities('other')) {
        const said = await account.under(hostility, async () => account.provider.balance?.());
        if (said) checkOutcome('balance', said, []);
        if (said?.kind === 'held') assert.deepEqual(said.floats, []);
      }
    });

    test('a malformed callback triggers a poll or is forged, and carries no result', () => {
      const verify = stand.account.provider.verifyCallback;
      for (const body of BODIES) {
        const text = typeof body === 'string' ? body : JSON.stringify(body);
        for (const method of ['POST', 'GET', 'PUT']) {
          const raw = { method, url: 'https://pay.example/_callbacks/pa_suite', headers: {}, body: Buffer.from(text) };
          const said = verify?.(raw);
          if (said) assert.ok(said.kind === 'forged' || (said.kind === 'hint' && said.subject === null), `${text}: ${said.kind}`);
        }
      }
    });
  });
}

function hostilities(doing: Hostility['doing']): (Hostility & { status: number; body: unknown })[] {
  return [...STATUSES, ...REJECTIONS].flatMap((status) =>
    BODIES.map((body) => ({ doing, status, body, answer: () => answered(status, body) })),
  );
}

async function isUnsure(stand: Stand, operation: Operation, step: 'submit' | 'read'): Promise<void> {
  const { account, connector } = stand;
  const doing = step === 'submit' ? 'create' : 'read';
  for (const subject of await stand.subjects(operation)) {
    if (step === 'read') await subject.settle();
    for (const hostility of hostilities(doing)) {
      const { status, body } = hostility;
      const met = account.met;
      const said = await account.under(hostility, () => subject[step](account.provider));
      checkOutcome('prepared' in said ? 'prepare' : METHODS[operation][step], said, []);
      // Nobody is sent to a page, or asked for a token, whose answer is not understood.
      if ('prepared' in said && said.kind === 'unavailable') continue;
      assert.ok(account.met > met, 'the answer was not asked for');
      const exceptions = (EXCEPTIONS[connector.name] ?? []).filter(
        (one) => one.operation === operation && one.step === step && one.applies(status, body),
      );
      const allowed = [...UNSURE, ...exceptions.flatMap(({ kinds }) => kinds)];
      assert.ok(allowed.includes(said.kind), `HTTP ${status} ${JSON.stringify(body)}: ${JSON.stringify(said, replacer)}`);
    }
  }
}

/** Keeps what the simulator answers last. */
class Listener implements Hostility {
  readonly doing: Hostility['doing'];
  heard: SendResult | null = null;

  constructor(doing: Hostility['doing']) {
    this.doing = doing;
  }

  async answer(ask: () => Promise<SendResult>): Promise<SendResult> {
    this.heard = await ask();
    return this.heard;
  }

  /** What was heard, with one thing in it changed. */
  changed(): { where: string; hostility: Hostility }[] {
    const { doing, heard } = this;
    if (heard?.kind !== 'answered') return [];
    return mutationsOf(parse(heard.body)).map(({ where, body }) => ({
      where,
      hostility: { doing, answer: () => withBody(heard, body) },
    }));
  }
}

/** It was taken: nothing that is changed in the answer may let it be sent to another provider, or be called off. */
async function takingStays(stand: Stand, operation: Operation): Promise<void> {
  const { account } = stand;
  for (const subject of await stand.subjects(operation)) {
    const listener = new Listener('create');
    const truth = await account.under(listener, () => subject.submit(account.provider));
    for (const { where, hostility } of listener.changed()) {
      const said = await account.under(hostility, () => subject.submit(account.provider));
      if ('prepared' in said && said.kind === 'unavailable') continue;
      assert.ok(
        said.kind === truth.kind || [...UNSURE, 'pending', 'duplicate'].includes(said.kind),
        `${where}: ${truth.kind} became ${JSON.stringify(said, replacer)}`,
      );
    }
  }
}

/** A search that finds nothing, and a session without the time of its refund: documented as "there is none". */
function isAbsence(connector: Connector, where: string): boolean {
  const words: Record<string, RegExp> = {
    flutterwave: /^\.data = \[\]$/,
    wave: /^\.(?:result = \[\]|when_refunded = (?:undefined|null))$/,
  };
  return words[connector.name]?.test(where) ?? false;
}

/** Ends that are told by the simulator, for a success and for failures of each kind. */
const DIGITS = [undefined, '000001', '000002', '000004', '000009'];

async function endsStay(stand: Stand, operation: Operation): Promise<void> {
  const { account } = stand;
  for (const digits of operation === 'refund' ? [undefined, '000009'] : DIGITS) {
    for (const subject of await stand.subjects(operation, digits)) {
      await subject.settle();
      const listener = new Listener('read');
      const truth = await account.under(listener, () => subject.read(account.provider));
      for (const { where, hostility } of listener.changed()) {
        const said = await account.under(hostility, () => subject.read(account.provider));
        checkOutcome(METHODS[operation].read, said, []);
        if (said.kind === 'not_found' && isAbsence(stand.connector, where)) continue;
        const same = ENDED.includes(said.kind) && said.kind !== 'succeeded' && truth.kind !== 'succeeded';
        assert.ok(
          said.kind === truth.kind || same || [...UNSURE, 'pending'].includes(said.kind),
          `${where}: ${truth.kind} became ${JSON.stringify(said, replacer)}`,
        );
      }
    }
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function replacer(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}n` : value;
}
