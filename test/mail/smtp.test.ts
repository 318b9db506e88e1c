import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { serverOf, smtpMailer } from '../../src/edge/mail/smtp.ts';
import { read, type Script, type SmtpServer, startSmtpServer } from './smtp-server.ts';

const MAIL = {
  id: '3f0c2f52-3f29-4ad5-8f0e-8f3fd4b7a001',
  to: 'awa@shop.example',
  date: new Date('2026-11-21T13:24:06Z'),
  subject: 'Votre clé / Your key',
  text: 'Bonjour Awa,\n\n.une ligne qui commence par un point\n',
};
const FROM = 'Pirogue <no-reply@pirogue.example>';

let server: SmtpServer;
beforeEach(async () => {
  server = await startSmtpServer();
});
afterEach(() => server.close());

test('a mail is delivered as written, with a Message-ID made from its id', async () => {
  assert.deepEqual(await smtpMailer(server.url, FROM).send(MAIL), { kind: 'sent' });
  const [{ from, to, raw } = { from: '', to: '', raw: '' }] = server.mails;
  assert.deepEqual([server.mails.length, from, to], [1, 'no-reply@pirogue.example', 'awa@shop.example']);
  const { headers, text } = read(raw);
  assert.equal(text.trimEnd(), MAIL.text.trimEnd());
  assert.equal(headers.subject, MAIL.subject);
  assert.equal(headers.from, FROM);
  assert.equal(headers.to, 'awa@shop.example');
  assert.equal(headers['message-id'], `<${MAIL.id}@pirogue.example>`);
  assert.equal(headers['auto-submitted'], 'auto-generated');
  assert.equal(new Date(headers.date ?? '').toISOString(), MAIL.date.toISOString());
});

test('an address that contains a comma is never sent to two recipients', async () => {
  await smtpMailer(server.url, FROM).send({ ...MAIL, to: 'awa@shop.example, eve@evil.example' });
  assert.equal(server.heard.filter((line) => /^RCPT/i.test(line) && line.includes('<eve@')).length, 0);
});

const ANSWERS: [what: string, script: Script, kind: string, error: RegExp][] = [
  ['an unknown recipient is final', { RCPT: '550 no such user awa@shop.example' }, 'refused', /^EENVELOPE 550$/],
  ['a full mailbox is tried again', { RCPT: '452 awa@shop.example is full' }, 'failed', /^EENVELOPE 452$/],
  ['a refused sender is tried again', { MAIL: '550 who are you' }, 'failed', /550/],
  ['a refused mail is tried again', { RECEIVED: '554 no' }, 'failed', /554/],
  ['a server that is closing is tried again', { GREETING: '421 later' }, 'failed', /./],
  ['a connection that breaks is tried again', { RECEIVED: 'hang up' }, 'failed', /./],
];

for (const [what, script, kind, error] of ANSWERS) {
  test(`${what}; only the code of the response is stored`, async () => {
    server.script = script;
    const sending = await smtpMailer(server.url, FROM).send(MAIL);
    assert.equal(sending.kind, kind);
    assert.match('error' in sending ? sending.error : '', error);
    assert.doesNotMatch(JSON.stringify(sending), /awa/);
  });
}

for (const step of ['GREETING', 'MAIL', 'RECEIVED'] as const) {
  test(`a server that is silent after ${step} is abandoned at the deadline`, async () => {
    server.script = { [step]: 'silent' };
    assert.equal((await smtpMailer(server.url, FROM, 100).send(MAIL)).kind, 'failed');
  });
}

test('a refused connection is retried', async () => {
  const { url } = server;
  await server.close();
  assert.equal((await smtpMailer(url, FROM).send(MAIL)).kind, 'failed');
  server = await startSmtpServer();
});

test('user and password of the URL log in; wrong credentials are retried, because they can be corrected', async () => {
  const url = server.url.replace('//', '//awa:p%40ss@');
  server.script = { AUTH: '235 welcome' };
  assert.equal((await smtpMailer(url, FROM).send(MAIL)).kind, 'sent');
  const said = server.heard.find((line) => line.startsWith('AUTH PLAIN')) ?? '';
  assert.equal(Buffer.from(said.slice(11), 'base64').toString(), '\0awa\0p@ss');
  server.script = { AUTH: '535 wrong password' };
  assert.deepEqual(await smtpMailer(url, FROM).send(MAIL), { kind: 'failed', error: 'EAUTH 535' });
});

const SERVERS: [url: string, expected: object][] = [
  ['smtps://mail.example', { host: 'mail.example', port: 465, secure: true, requireTLS: false, ignoreTLS: false }],
  ['smtp://mail.example', { host: 'mail.example', port: 587, secure: false, requireTLS: true, ignoreTLS: false }],
  ['smtp://mail.example:25?tls=off', { host: 'mail.example', port: 25, secure: false, requireTLS: false, ignoreTLS: true }],
  ['smtp://[::1]:1025', { host: '::1', port: 1025, secure: false, requireTLS: false, ignoreTLS: true }],
];

for (const [url, expected] of SERVERS) {
  test(`${url}: ${JSON.stringify(expected)}`, () => assert.deepEqual(serverOf(new URL(url)), expected));
}
