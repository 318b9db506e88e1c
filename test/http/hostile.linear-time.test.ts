import assert from 'node:assert/strict';
import { test } from 'node:test';
import Fastify from 'fastify';
import { Type } from 'typebox';
import { readOnboardingToken } from '../../src/core/accounts/onboarding.ts';
import { readBrowser } from '../../src/edge/pages/browser.ts';
import { preferredLanguage, textsIn } from '../../src/edge/pages/language.ts';
import { returnLink } from '../../src/edge/checkout/return-link.ts';
import { readSubmission } from '../../src/edge/checkout/submission.ts';
import { themeOf } from '../../src/edge/pages/theme/theme.ts';
import { compactPhone } from '../../src/core/customers/phone.ts';
import { Redactor } from '../../src/edge/erasure/redact.ts';
import { fold } from '../../src/core/customers/search.ts';
import { inspectBody } from '../../src/tenants/api/body.ts';
import { proxyTrust } from '../../src/edge/http/client-address.ts';
import { readTracing } from '../../src/edge/http/tracing.ts';
import { validatorOf } from '../../src/tenants/api/validation.ts';
import { isAddressOrRange, plainAddress } from '../../src/kit/address-list.ts';
import { blotCards, holdsCard } from '../../src/kit/cards.ts';
import { Secrets } from '../../src/kit/crypto.ts';
import { html } from '../../src/kit/html.ts';
import { canonicalJson } from '../../src/kit/json.ts';
import { blot } from '../../src/kit/log.ts';
import { checkMetadata } from '../../src/kit/metadata.ts';
import { readPageToken } from '../../src/kit/page-token.ts';
import { Cursors } from '../../src/kit/paging.ts';
import { typedAmount } from '../../src/kit/typed-amount.ts';
import { readPayer } from '../../src/edge/links/form.ts';
import { changeLinkBody, createLinkBody, type LinkRow } from '../../src/edge/links/schema.ts';
import { CONNECTORS } from '../../src/providers/adapters/catalogue.ts';
import { plainText, rawMessage } from '../../src/providers/adapters/wire/text.ts';
import { testCardToken } from '../../src/providers/adapters/sandbox/codes.ts';
import { winAnsi } from '../../src/edge/receipts/win-ansi.ts';
import { CsvReader } from '../../src/core/reconciliation/csv.ts';
import { readerOf } from '../../src/core/reconciliation/lines.ts';
import { parsePhone } from '../../src/providers/reference/phones.ts';
import { urlFault } from '../../src/money/webhooks/url.ts';
import { SIMULATORS } from '../../simulators/catalogue.ts';
import { tools } from '../adapters/fixture.ts';
import { excessOf, HOSTILE_UNITS, hostile } from '../setup/growth.ts';

/** Characters of a quarter of a body of 256 KB, of half a callback of 64 KB, and of all headers together. */
const BODY = 64 * 1024;
const CALLBACK = 32 * 1024;
const HEADER = 16 * 1024;

const secrets = new Secrets(Buffer.alloc(32, 1));
const cursors = new Cursors(secrets, 'linear');
const token = { prefix: 'lnk_', sign: () => 'x' };
const link = {
  amount_minor: null,
  min_amount_minor: null,
  max_amount_minor: null,
  currency: 'XAF',
  collect: ['name', 'email', 'phone'],
};
const redactor = new Redactor({ names: ['Aïcha Ngo Bâ'], emails: ['a.ngo@shop.example'], phones: ['+237650000001'] });
const parseJson = Fastify().getDefaultJsonParser('error', 'error');
const fields = validatorOf(
  Type.Object(
    Object.fromEntries(
      [
        ...[{ format: 'email' }, { format: 'date' }, { format: 'date-time' }, { format: 'web-url' }],
        ...[{ pattern: '\\S' }, { pattern: '^[A-Za-z]{2}$' }, { maxLength: 32 }],
      ].map((rule, index) => [`field_${index}`, Type.String(rule)]),
    ),
  ),
  undefined,
);
const collecting = validatorOf(createLinkBody, undefined);
const everyField = (text: string) => Object.fromEntries(Array.from({ length: 7 }, (_, index) => [`field_${index}`, text]));

/** Every function that sees text from outside before its length is known, or with the longest that gets there. */
const READERS: [what: string, work: (text: string) => unknown, most: number][] = [
  ['card numbers in a text', holdsCard, BODY],
  ['card numbers in a log line', blotCards, BODY],
  ['secrets in a log line', blot, BODY],
  ['a body with the text as a value', (text) => inspectBody({ description: text, list: [text] }), BODY],
  ['a body with the text as a field name', (text) => inspectBody({ metadata: { [text]: { [text]: 1 } } }), BODY],
  ['the formats and patterns of bodies', (text) => fields.body(everyField(text)), BODY],
  [
    'a list whose items differ',
    (text) => collecting.body({ title: 'x', currency: 'XAF', collect: Array.from({ length: text.length / 8 }, (_, i) => i) }),
    BODY,
  ],
  ['the parser of bodies', (text) => parseJson({} as never, text, () => undefined), BODY],
  ['canonical JSON', (text) => canonicalJson({ [text]: text }), BODY],
  ['metadata', (text) => checkMetadata({ [text]: text }), BODY],
  ['a submit of the hosted page', (text) => readSubmission('live', { channel: text, data: { phone: text }, number: text }), BODY],
  ['the number of a test card', testCardToken, BODY],
  [
    'the form of a payment link',
    (text) => readPayer(link as LinkRow, { name: text, email: text, phone: text, amount: text }, textsIn('en').link),
    CALLBACK,
  ],
  ['an amount as people type it', (text) => typedAmount(text, 'XAF'), BODY],
  ['a phone number of a channel', (text) => parsePhone(text, 'CM'), BODY],
  ['a phone number of a customer', compactPhone, BODY],
  ['folding for the search', fold, BODY],
  ['the escape of a search', (text) => text.replace(/[\\%_]/g, '\\$&'), BODY],
  ['an erasure in free text', (text) => redactor.text(text), BODY],
  ['an erasure of a hostile name', (text) => erasing(text.slice(0, 255)).text(text), BODY],
  [
    'an erasure of a hostile number',
    (text) => new Redactor({ names: [], emails: [], phones: [text.slice(0, 32)] }).text(text),
    BODY,
  ],
  ['theming', (text) => themeOf({ color: text, logo: text, title: text, button_text: text, locale: text }), BODY],
  ['the address of a webhook', (text) => urlFault(`https://${text}`, 'public'), BODY],
  ['the path of a webhook', (text) => urlFault(`https://shop.example/${text}`, 'public'), BODY],
  ['a callback address with a hostile host', (text) => fields.body({ field_3: `https://${text}.example/` }), BODY],
  [
    'the way back to the shop',
    (text) => returnLink({ id: 'trx_1', reference: text, callback: `https://shop.example/?${text}` }, 'x'),
    BODY,
  ],
  ['HTML', (text) => html`<p title="${text}">${text}</p>`, BODY],
  ['letters of a receipt', winAnsi, BODY],
  ['words of a provider', (text) => rawMessage(text, text), BODY],
  ['plain words for a provider', (text) => plainText(text, 40), BODY],
  ['a cursor', (text) => cursors.position({ cursor: text }), HEADER],
  ['a cursor of ours with more behind it', (text) => cursors.position({ cursor: `${cursors.seal('o', text)}${text}` }), HEADER],
  ['the token of a page', (text) => readPageToken(token, text), HEADER],
  ['the token of an onboarding page', (text) => readOnboardingToken(secrets, text, 0), HEADER],
  ['a cookie', readBrowser, HEADER],
  ['Accept-Language', preferredLanguage, HEADER],
  ['X-Request-Id and traceparent', (text) => readTracing({ 'x-request-id': text, traceparent: text }, 0), HEADER],
  ['an entry of an address list', isAddressOrRange, BODY],
  ['an address', (text) => [plainAddress(text), plainAddress(`[${text}]`), plainAddress(`::${text}`)], HEADER],
  ['an address behind proxies', (text) => (proxyTrust(['10.0.0.0/8']) as (a: string, hop: number) => boolean)(text, 0), HEADER],
  ['a statement as CSV', (text) => [new CsvReader()].map((csv) => [csv.push(text), csv.end()]), BODY],
  ['a statement in pieces', readInPieces, BODY],
  ['the head of a statement', (text) => readerOf(text.split(','), undefined, 0), BODY],
];

function erasing(name: string): Redactor {
  return new Redactor({ names: [name], emails: [name], phones: [] });
}

function readInPieces(text: string): void {
  const csv = new CsvReader();
  for (let at = 0; at < text.length; at += 1024) csv.push(text.slice(at, at + 1024));
  csv.end();
}

const shapes = Object.entries(HOSTILE_UNITS);

function excesses(work: (text: string) => unknown, most: number): string[] {
  return shapes.flatMap(([shape, unit]) => {
    const excess = excessOf(work, (length) => hostile(unit, length), most);
    return excess === null ? [] : [`${shape}: four times as long takes ${excess.toFixed(1)} times the time`];
  });
}

for (const [what, work, most] of READERS) {
  test(`reading takes time in proportion to the text: ${what}`, () => assert.deepEqual(excesses(work, most), []));
}

for (const connector of CONNECTORS) {
  test(`reading takes time in proportion to the text: a callback of ${connector.title}`, () => {
    const kind = SIMULATORS.find(({ name }) => name === connector.name);
    const account = { id: 'pa_1', environment: 'live', credentials: kind?.credentials('http://127.0.0.1:9') ?? {} } as const;
    const provider = connector.connect(account, tools);
    const receive = (body: string, header: string, path: string) =>
      provider.verifyCallback?.({
        ...{ method: 'POST', url: `http://127.0.0.1/_callbacks/pa_1/${path}`, body: Buffer.from(body) },
        headers: Object.fromEntries(
          ['x-token', 'verif-hash', 'wave-signature', 'authorization', 'signature', 'signature-input', 'content-digest'].map(
            (name) => [name, header],
          ),
        ),
      });
    assert.deepEqual(
      excesses((text) => receive(text, '', ''), CALLBACK),
      [],
    );
    assert.deepEqual(
      excesses((text) => receive(JSON.stringify({ data: text, status: text, depositId: text }), text, text), HEADER),
      [],
    );
  });
}

test('items that are to differ have a type, without which the validator compares each with each', () => {
  const untyped: string[] = [];
  const look = (schema: unknown, where: string): void => {
    if (typeof schema !== 'object' || schema === null) return;
    const { uniqueItems, items } = schema as { uniqueItems?: boolean; items?: { type?: string } };
    if (uniqueItems && !items?.type) untyped.push(where);
    for (const [name, part] of Object.entries(schema)) look(part, `${where}.${name}`);
  };
  look(createLinkBody, 'POST /links');
  look(changeLinkBody, 'PATCH /links/{id}');
  assert.deepEqual(untyped, []);
});

test('nested bodies are read without recursion, however deep', () => {
  const nest = (depth: number) => JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`);
  const excess = excessOf(
    (text) => inspectBody(nest(text.length)),
    (length) => 'x'.repeat(length),
    BODY / 6,
  );
  assert.equal(excess, null);
  assert.deepEqual(inspectBody(nest(BODY / 6)).faults, { a: ['is nested deeper than 32 levels'] });
});
