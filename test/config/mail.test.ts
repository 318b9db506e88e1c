import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError, readConfig } from '../../src/platform/config/config.ts';

const FROM = 'Pirogue <no-reply@pay.example>';

test('mail is written to files without settings', () => {
  const { smtp_url, mail_from } = readConfig({});
  assert.deepEqual([smtp_url, mail_from], [null, 'Pirogue <pirogue@localhost>']);
});

for (const url of [
  'smtp://mail.example',
  'smtps://awa:p%40ss@mail.example:465',
  'smtp://[::1]:1025',
  'smtp://relay:25?tls=off',
]) {
  test(`SMTP_URL=${url}`, () => assert.equal(readConfig({ SMTP_URL: url, MAIL_FROM: FROM }).smtp_url, url));
}

for (const url of ['mail.example', 'https://mail.example', 'smtp://', 'smtp://awa:100%secret@mail.example']) {
  test(`SMTP_URL=${url} is rejected and not shown: it may contain a password`, () => {
    assert.throws(
      () => readConfig({ SMTP_URL: url, MAIL_FROM: FROM }),
      (error) => error instanceof ConfigError && /^SMTP_URL cannot be used/.test(error.message) && !/secret/.test(error.message),
    );
  });
}

test('SMTP_URL without a sender is rejected', () => {
  assert.throws(() => readConfig({ SMTP_URL: 'smtp://mail.example' }), /MAIL_FROM is not set/);
});

for (const from of ['a@b.example', 'Pirogue <a@b.example>', 'Chez Awa <a@b.example>', '<a@b.example>']) {
  test(`MAIL_FROM=${from}`, () => assert.equal(readConfig({ MAIL_FROM: from }).mail_from, from));
}

for (const from of [
  'Pirogue',
  'a@b@c.example',
  'a@b.example, c@d.example',
  'A <a@b.example> <c@d.example>',
  'A\r\nBcc: x <a@b.example>',
]) {
  test(`MAIL_FROM=${JSON.stringify(from)} is rejected`, () => {
    assert.throws(() => readConfig({ MAIL_FROM: from }), /^ConfigError|MAIL_FROM=/);
  });
}
