import assert from 'node:assert/strict';
import { test } from 'node:test';
import { personText } from '../../src/edge/mail/people-text.ts';
import type { UserMailFacts } from '../../src/tenants/people/mails.ts';

const LINK = 'https://console.example/console/link/1';

function invitation(facts: Partial<UserMailFacts['invitation']>) {
  const row = { id: 1n, recipient: 'new@shop.example', tries: 1, created_at: new Date(), age_ms: 0 };
  const all = { link: '1', team: 'Chez Awa', by: 'Awa Ngo', role: 'finance' as const, ...facts };
  return personText({ ...row, kind: 'invitation', facts: all }, { link: () => LINK, page: () => LINK });
}

test('an invitation names who invites, and to which team', () => {
  const { subject, text } = invitation({});
  assert.equal(subject, 'Invitation à rejoindre Chez Awa / Invitation to join Chez Awa');
  assert.match(text, /Awa Ngo vous invite à rejoindre Chez Awa dans la console Pirogue, avec le rôle\u00a0: /);
});

for (const name of ['Locked? https://evil.example', 'evil.example', 'pay@evil.example', 'Awa\\evil', 'mailto:eve']) {
  test(`a name that mail programs would show as a link is left out of an invitation: ${name}`, () => {
    const { subject, text } = invitation({ team: name, by: name });
    assert.equal(subject, 'Invitation à rejoindre une équipe / Invitation to join a team');
    assert.equal(text.includes(name), false);
    assert.match(text, /You are invited to join a team in the Pirogue console/);
    assert.deepEqual(text.match(/https?:\S+/g), [LINK, LINK]);
  });
}

test('a mail about an approval names the team and leads to its page, without a name that would be a link', () => {
  const row = { id: 1n, recipient: 'awa@shop.example', tries: 1, created_at: new Date(), age_ms: 0 };
  const mail = (team: string) => {
    const facts = { team, environment: 'live' as const, path: '/console/1/live/approvals/apv_1', step: 'asked' as const };
    const urls = { link: () => LINK, page: (path: string) => `https://console.example${path}` };
    return personText({ ...row, kind: 'approval', facts }, urls);
  };
  assert.equal(mail('Chez Awa').subject, 'Une validation vous attend (Chez Awa) / An approval waits for you (Chez Awa)');
  const { subject, text } = mail('evil.example');
  assert.equal(`${subject}${text}`.includes('evil'), false);
  const page = 'https://console.example/console/1/live/approvals/apv_1';
  assert.deepEqual(text.match(/https?:\S+/g), [page, page]);
});
