import assert from 'node:assert/strict';
import fs from 'node:fs';
import { describe, test } from 'node:test';
import { type TSchema, Type } from 'typebox';
import { FIELD_FAULTS } from '../../src/edge/console/messages/fields.ts';
import { ownFaults } from '../../src/edge/console/messages/own.ts';
import { say, sayProblem, sayStored } from '../../src/edge/console/messages/say.ts';
import { SENTENCES } from '../../src/edge/console/messages/sentences.ts';
import { frenchSummary, ROUTING_REASONS, sayRefusal, sayRouting } from '../../src/edge/console/messages/routing.ts';
import { decide } from '../../src/providers/routing/decide.ts';
import { explain } from '../../src/providers/routing/explain.ts';
import type { Considered, Explanation } from '../../src/providers/routing/schema.ts';
import { accountOf, NO_NEWS, requestOf, ruleOf, rulesetOf } from '../routing/support.ts';
import { invalid, Problem } from '../../src/kit/errors.ts';
import { textFault } from '../../src/tenants/api/body.ts';
import { validatorOf } from '../../src/tenants/api/validation.ts';
import document from '../../docs/openapi.json' with { type: 'json' };
import { compareGolden } from '../setup/golden.ts';
import { sourceMessages, sourceTexts } from './source-messages.ts';

const PAIRS = [...FIELD_FAULTS, ...SENTENCES, ...ROUTING_REASONS];

/** Rooms whose messages reach the console by an operation or by its own services. */
const ROOMS = [
  ...['src/kit', 'src/platform/search', 'src/providers/reference', 'src/tenants', 'src/money'],
  ...['src/core/customers', 'src/core/beneficiaries', 'src/core/accounts', 'src/core/payments', 'src/core/charge'],
  ...['src/core/disputes', 'src/core/refunds', 'src/core/transfers', 'src/core/balance', 'src/edge/invoices', 'src/edge/links'],
  'src/edge/console',
];

/** Files whose messages no operation of the console returns: tables of documentation, commands of the command line, errors about API keys. */
const LEFT_OUT =
  /(personal|problems|hints|adviser|schema|docs?|texts|english|resolve|states|catalogue|labels|versions)\.ts$|\/(docs|sweeps|verify[\w-]*|messages|outbox|request-log\/log|guard|database-url|sealing|crypto)\b|store\.ts$/;

/** Messages whose words are computed: what they can be. */
const COMPUTED: Readonly<Record<string, readonly string[]>> = {
  '7 Not Found': [
    ...['Payment', 'Attempt', 'Refund', 'Return', 'Customer', 'Transfer'],
    ...['Invoice', 'Link', 'Beneficiary', 'Account', 'Resource'],
  ].map((what) => `${what} Not Found`),
  'has a field name that 7': ['\0', '\ud800'].map((key) => `has a field name that ${textFault(key)}`),
  'must be 7': [
    ...['string', 'number', 'integer', 'boolean', 'object', 'array'].flatMap((type) => [type, `${type} or null`]),
    'null',
  ].map((type) => `must be ${type}`),
  "is above the team's limit of 7 7 for one 7": ['payment', 'payout'].map(
    (what) => `is above the team's limit of 500000 XAF for one ${what}`,
  ),
  "is above the team's limit of 7 7 for all 7s of a UTC 7": ['payment', 'payout'].flatMap((what) =>
    ['day', 'month'].map((span) => `is above the team's limit of 500000 XAF for all ${what}s of a UTC ${span}`),
  ),
};

const isEnglish = (text: string) => say('fr', text).text.includes('lang="en"');

test('every message that an operation of the console can say has French', () => {
  const said = sourceMessages(ROOMS, (file) => LEFT_OUT.test(file));
  assert.ok(said.length > 150, `${said.length} messages were found`);
  const computed = Object.keys(COMPUTED);
  for (const template of computed)
    assert.ok(
      said.some(({ text }) => text === template),
      template,
    );
  const fixed = said.filter(({ text }) => !computed.includes(text));
  const all = [...fixed, ...Object.values(COMPUTED).flatMap((texts) => texts.map((text) => ({ text, file: 'computed' })))];
  assert.deepEqual(
    all.filter(({ text }) => isEnglish(text)).map(({ text, file }) => `${file}: ${text}`),
    [],
  );
});

test('what is stored of the end of refunds, payouts and endpoints has French', () => {
  const stored = [
    'It waits for money: the balance does not cover it yet.',
    'The payment was charged back.',
    'An earlier refund reached the payer after it had failed.',
    'ended by hand: it was not sent',
    'resolved by hand: no money moved',
    'the provider does not know it yet',
    'The available balance does not cover the amount and the fee.',
  ];
  const sources = ['refunds', 'transfers'].map((room) => `src/core/${room}`).concat('src/money/webhooks');
  const code = sources
    .flatMap((room) => fs.readdirSync(room).map((name) => fs.readFileSync(`${room}/${name}`, 'utf8')))
    .join('\n');
  for (const text of stored) assert.ok(code.includes(`'${text}'`), `${text} is no longer stored`);
  const late = ['It', 'Another amount'].flatMap((what) =>
    ['failed', 'been cancelled'].map((end) => `${what} reached the recipient after it had ${end}.`),
  );
  const made = ['Part 2 reached the payer after the refund had failed.', 'No delivery succeeded for 5 days.', ...late];
  assert.deepEqual([...stored, ...made].filter(isEnglish), []);
});

test('what the validation of a schema says has French, for every keyword that a schema of the API uses', () => {
  const schemas = JSON.stringify(document);
  const says: Record<string, TSchema> = {
    minLength: Type.String({ minLength: 3 }),
    maxLength: Type.String({ maxLength: 0 }),
    pattern: Type.String({ pattern: '^$' }),
    minItems: Type.Array(Type.Any(), { minItems: 3 }),
    maxItems: Type.Array(Type.Any(), { maxItems: 1 }),
    uniqueItems: Type.Array(Type.Any(), { uniqueItems: true }),
    minimum: Type.Number({ minimum: 10 }),
    maximum: Type.Number({ maximum: 1 }),
    exclusiveMinimum: Type.Number({ exclusiveMinimum: 10 }),
    maxProperties: Type.Object({}, { maxProperties: 0 }),
    minProperties: Type.Object({}, { minProperties: 3 }),
    anyOf: Type.Union([Type.Literal(1), Type.Literal(2)]),
  };
  for (const keyword of ['exclusiveMaximum', 'multipleOf', 'propertyNames', 'dependentRequired', 'contains']) {
    assert.ok(!schemas.includes(`"${keyword}":`), `${keyword} is used: give it a case here`);
  }
  for (const [keyword, schema] of Object.entries(says)) {
    const body = Type.Object({ a: schema });
    const values = ['x', [1, 1], 5, { b: 1 }];
    const messages = values.flatMap((a) => validatorOf(body, undefined).body({ a }).a ?? []);
    assert.ok(messages.length > 0, keyword);
    for (const message of messages) assert.ok(!isEnglish(message), `${keyword}: ${message}`);
  }
});

test('the messages of the API in French, for readers', () => {
  compareGolden(
    'french-messages.txt',
    PAIRS.flatMap(([english, french]) => [english, `    ${french}`]),
  );
});

test('French is printed as a bank prints it, and keeps every value of the English', () => {
  const places = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([place]) => place).sort();
  for (const [english, french] of PAIRS) {
    assert.ok(!/'|[^\u00A0][:;!?»]|«[^\u00A0]/.test(french), french);
    const kept = places(english).filter((place) => place !== '{pattern}' && place !== '{fields}');
    assert.ok(!/\b(?:le|du|au|un) sandbox/i.test(french), `it is feminine: ${french}`);
    // Where the field is on a form, its position in a list of the API is of no use.
    assert.deepEqual(places(french), kept, english);
  }
});

describe('the reasons of a choice of the provider', () => {
  /** Files whose every text is a reason. */
  const FILES = ['routing/ability.ts', 'routing/arrange.ts', 'routing/decide.ts', 'float/view.ts'];
  /** Templates that put other reasons together. */
  const JOINED: Readonly<Record<string, string>> = {
    '7; 7': '7',
    '7; put last: 7': '7; put last: float below amount (7 XAF at 7)',
  };

  const considered = (why: string, changes: Partial<Considered> = {}): Considered => ({
    ...{ name: 'mtn', account_id: 'pa_1', provider: 'mtn-momo', verdict: 'chosen', place: 1, why, health: null },
    ...changes,
  });
  const explanation = (accounts: Considered[], changes: Partial<Explanation> = {}): Explanation => ({
    ...{ at: '2026-11-23T10:00:00.000Z', operation: 'collect', channel: 'cm.mtn', currency: 'XAF', amount: 5000 },
    ...{ rule: null, by: 'added', draw: null, accounts },
    ...changes,
  });

  test('have French, each that the routing can give', () => {
    const texts = FILES.flatMap((file) => sourceTexts(`src/providers/${file}`));
    for (const joined of Object.keys(JOINED)) assert.ok(texts.includes(joined), joined);
    const given = texts.flatMap((text) => (JOINED[text] ?? text).split('; ')).filter((text) => text !== '7');
    assert.ok(new Set(given).size >= 20, `${new Set(given).size} reasons were found`);
    const english = given.filter((why) => sayRouting('fr', explanation([considered(why)])).text.includes('lang="en"'));
    assert.deepEqual(english, []);
  });

  test('are sentences, with the rule and the health of the account', () => {
    const health = { standing: 'degraded' as const, calls: 40, failures: 2, p95_ms: 812 };
    const rule = {
      id: 'rul_1',
      priority: 10,
      summary: 'payouts on cm.mtn, cm.orange in XAF from 1000: mtn, then kora, no fallback',
    };
    const given = explanation(
      [
        considered('number 1 in the rule; a probe: its circuit is open since 2026-11-23T10:00:00.000Z', { health }),
        considered('amount above 1000.5 XAF', { name: '<kora>', verdict: 'left_out', place: null }),
      ],
      { operation: 'payout', rule, by: 'order', draw: 0.5 },
    );
    assert.deepEqual(
      [...sayRouting('fr', given).text.matchAll(/<li>(.*?)<\/li>/g)].map(([, line]) => line?.replaceAll(/[\u00A0\u202F]/g, '~')),
      [
        'Virement de 5~000~XAF sur cm.mtn.',
        'La règle rul_1 (priorité 10) a décidé~: virements sur cm.mtn, cm.orange en XAF à partir de 1~000~: mtn, puis kora, sans repli. Le tirage a donné 0,5.',
        'mtn (mtn-momo) a été choisi~: n°~1 dans la règle~; essai~: son disjoncteur est ouvert depuis le 23 nov. 2026, 10:00 UTC (dégradé~: 2 échecs sur 40 appels en dix minutes, 95~% des réponses en 812 ms au plus).',
        '&lt;kora&gt; a été écarté~: montant supérieur à 1~000,5~XAF.',
      ],
    );
    assert.match(sayRouting('en', given).text, /mtn \(mtn-momo\) was chosen: number 1 in the rule; a probe/);
  });

  test('that an earlier version gave stay English, all of them, and are marked so', () => {
    const given = explanation([considered('its cost is not known'), considered('it felt right')]);
    const { text } = sayRouting('fr', given);
    assert.match(text, /<ul class="reasons" lang="en">/);
    assert.deepEqual(
      [...text.matchAll(/<li>(.*?)<\/li>/g)].map(([, line]) => line),
      explain(given),
    );
  });

  test('name each rule in French, as the routing sums it up', () => {
    const shared = {
      ...{ operation: null, countries: ['CM', 'CI'], channels: [], currencies: ['XAF'], min_minor: 100_00n, max_minor: 500_50n },
      ...{ account_order: null, least_cost: false, fallback: true },
      shares: [
        { name: 'a', weight: 2 },
        { name: 'b', weight: 1 },
      ],
    };
    const rules = [ruleOf(shared), ruleOf({ ...shared, operation: 'collect', shares: null, least_cost: true, fallback: false })];
    const summaries = rules.map(
      (rule) =>
        decide(rulesetOf(rule), [accountOf('a')], NO_NEWS, requestOf({ amount_minor: 200_00n }), { at: 0, draw: 0 }).explanation
          .rule?.summary,
    );
    assert.deepEqual(
      summaries.map((summary) => frenchSummary(summary ?? '').replaceAll('\u00A0', '~')),
      [
        'tout de CM, CI en XAF à partir de 100 jusqu’à 500,5~: a 66,7~%, b 33,3~%',
        'encaissements de CM, CI en XAF à partir de 100 jusqu’à 500,5~: le moins cher, sans repli',
      ],
    );
    assert.equal(frenchSummary('whatever'), 'whatever');
  });

  test('a refusal by the fraud rules is French, too', () => {
    const refusal = { rule: 'payer_velocity', figures: { most: 6, minutes: 10 } } as const;
    assert.equal(sayRefusal('fr', refusal), 'le payeur avait été débité 6 fois en 10 minutes, le maximum autorisé');
    assert.match(sayRefusal('en', refusal), /had been charged 6 times/);
    const figures = { amount_minor: '1000050', high_minor: '100000', currency: 'XAF', payments: 1_000 };
    assert.equal(
      sayRefusal('fr', { rule: 'amount', figures }).replaceAll(/[\u00A0\u202F]/g, '~'),
      '10~000,5~XAF dépasse 5 fois 1~000~XAF, que 99 sur 100 des 1~000 derniers paiements de l’équipe n’ont pas dépassés',
    );
  });
});

test('values stay as they are, escaped; statuses are French', () => {
  assert.equal(say('fr', 'must be at least 100 XAF on cm.mtn').text, 'doit être d’au moins 100 XAF sur cm.mtn');
  assert.equal(
    say('fr', 'must be one of <b>, "x"').text,
    'doit être l’une des valeurs suivantes\u00A0: &lt;b&gt;, &quot;x&quot;',
  );
  assert.equal(
    say('fr', 'The payment is succeeded and cannot be cancelled: use a refund.').text,
    'Le paiement ne peut pas être annulé (statut\u00A0: réussi)\u00A0: faites un remboursement.',
  );
  assert.equal(say('en', 'is required').text, 'is required');
});

test('an unknown message is shown as it is, and marked as English', () => {
  assert.equal(say('fr', 'is <new>').text, '<span lang="en">is &lt;new&gt;</span>');
  assert.equal(say('en', 'is <new>').text, 'is &lt;new&gt;');
});

test('the message of several fields keeps their names', () => {
  const problem = invalid({ 'customer.email': ['must be a valid e-mail address'], amount: ['is required'], phone: ['is new'] });
  assert.equal(
    sayProblem('fr', problem).message.text,
    'customer.email\u00A0: doit être une adresse e-mail valide\u00A0; amount\u00A0: est obligatoire\u00A0; phone\u00A0: <span lang="en">is new</span>',
  );
  assert.equal(sayProblem('en', problem).message.text, problem.message);
  const own = ownFaults({ amount: ['Le montant n’est pas un nombre.'] });
  assert.equal(sayProblem('fr', own).errors.amount?.[0]?.text, 'Le montant n’est pas un nombre.');
  const conflict = new Problem(409, 'The reference already exists on another payment.', {
    errors: { reference: ['already exists on another payment'] },
  });
  assert.equal(sayProblem('fr', conflict).message.text, 'La référence existe déjà sur un autre paiement.');
});

test('a rejection that was stored is read in the language of whoever looks', () => {
  const own = [['Wrong amount.', 'Montant incorrect.']] as const;
  const stored = 'amount: must be a whole number of XAF; beneficiary.phone: is required for mobile money';
  assert.equal(
    sayStored('fr', stored).text,
    'amount\u00A0: doit être un nombre entier de XAF\u00A0; beneficiary.phone\u00A0: est obligatoire pour le mobile money',
  );
  assert.equal(sayStored('en', stored).text, stored);
  assert.equal(sayStored('en', 'amount: Montant incorrect.', own).text, 'amount: Wrong amount.');
  assert.equal(sayStored('fr', 'Wrong amount.', own).text, 'Montant incorrect.');
  assert.equal(sayStored('fr', 'amount: is new').text, '<span lang="en">amount: is new</span>');
});

test('a message of any length and form is compared in linear time', () => {
  for (const text of [`must be at least ${' on '.repeat(490)}`, 'a: '.repeat(100_000), '; '.repeat(100_000)]) {
    assert.ok(sayStored('fr', text).text.length > 0);
  }
});
