import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { deleteMailFilesBefore, fileMailer } from '../../src/edge/mail/files.ts';
import { read } from './smtp-server.ts';

const MAIL = {
  id: '3f0c2f52-3f29-4ad5-8f0e-8f3fd4b7a001',
  to: 'awa@shop.example',
  date: new Date('2026-11-21T13:24:06.123Z'),
  subject: 'Votre clé / Your key',
  text: 'Bonjour Awa,\n',
};
const data_dir = fs.mkdtempSync(path.join(os.tmpdir(), 'pirogue-mail-'));
after(() => fs.rmSync(data_dir, { recursive: true }));
const folder = path.join(data_dir, 'mail');
const mailer = fileMailer(data_dir, 'Pirogue <pirogue@localhost>');

test('a mail is written to a file that only its owner can read', async () => {
  assert.deepEqual(await mailer.send(MAIL), { kind: 'sent' });
  assert.deepEqual(fs.readdirSync(folder), [`20261121T132406Z-${MAIL.id}.eml`]);
  const file = path.join(folder, `20261121T132406Z-${MAIL.id}.eml`);
  assert.deepEqual([fs.statSync(file).mode & 0o777, fs.statSync(folder).mode & 0o777], [0o600, 0o700]);
  const { headers, text } = read(fs.readFileSync(file, 'utf8').replace(/\r?\n/g, '\r\n'));
  assert.deepEqual(
    [headers.to, headers.subject, headers['message-id'], text.trim()],
    ['awa@shop.example', MAIL.subject, `<${MAIL.id}@localhost>`, 'Bonjour Awa,'],
  );
});

test('a retry writes the same file, also after a try that died half way', async () => {
  fs.writeFileSync(path.join(folder, `20261121T132406Z-${MAIL.id}.eml.tmp`), 'half', { mode: 0o666 });
  assert.deepEqual(await mailer.send(MAIL), { kind: 'sent' });
  assert.deepEqual(fs.readdirSync(folder), [`20261121T132406Z-${MAIL.id}.eml`]);
  assert.equal(fs.statSync(path.join(folder, fs.readdirSync(folder)[0] as string)).mode & 0o777, 0o600);
});

test('a folder that is not writable is a failure that is retried', async () => {
  const file = path.join(data_dir, 'file');
  fs.writeFileSync(file, '');
  assert.deepEqual(await fileMailer(file, 'a@b.example').send(MAIL), { kind: 'failed', error: 'ENOTDIR' });
});

test('files are deleted by when their mails were queued, whole or not; what is no mail stays', async () => {
  const later = { ...MAIL, id: 'later', date: new Date('2026-11-22T00:00:00Z') };
  for (const mail of [MAIL, later]) assert.deepEqual(await mailer.send(mail), { kind: 'sent' });
  fs.writeFileSync(path.join(folder, '20261120T000000Z-user-7.eml.tmp'), 'half');
  fs.writeFileSync(path.join(folder, '1-notes.txt'), 'kept');
  const round = (dir = data_dir) => deleteMailFilesBefore(dir, new Date('2026-11-21T13:24:07Z'), 1);
  assert.deepEqual([await round(), await round(), await round()], [1, 1, 0]);
  assert.deepEqual(fs.readdirSync(folder).sort(), ['1-notes.txt', '20261122T000000Z-later.eml']);
  assert.equal(await round(path.join(data_dir, 'none')), 0);
});
