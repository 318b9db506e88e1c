import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type TSchema, Type } from 'typebox';
import { FIELD_FAULTS } from '../../src/edge/console/messages/fields.ts';
import { ownFaults } from '../../src/edge/console/messages/own.ts';
import { say, sayProblem, sayStored } from '../../src/edge/console/messages/say.ts';
import { SENTENCES } from '../../src/edge/console/messages/sentences.ts';
import { invalid, Problem } from '../../src/kit/errors.ts';
import { textFault } from '../../src/tenants/api/body.ts';
import { validatorOf } from '../../src/tenants/api/validation.ts';
import document from '../../docs/openapi.json' with { type: 'json' };
import { compareGolden } from '../setup/golden.ts';
import { sourceMessages } from './source-messages.ts';

const PAIRS = [...FIELD_FAULTS, ...SENTENCES];

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
    // Where the field is on a form, its position in a list of the API is of no use.
    assert.deepEqual(places(french), kept, english);
  }
});

test('values stay as they are, escaped; statuses are French', () => {
  assert.equal(say('fr', 'must be at least 100 XAF on cm.mtn').text, 'doit être d’au moins 100 XAF sur cm.mtn');
  assert.equal(
    say('fr', 'must be one of <b>, "x"').text,
    'doit être l’une des valeurs suivantes\u00A0: &lt;b&gt;, &quot;x&quot;',
  );
  assert.equal(
    say('fr', 'The payment is succeeded and cannot be cancelled: use a refund.').text,
    'Le paiement ne peut pas être annulé (état\u00A0: réussi)\u00A0: faites un remboursement.',
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
