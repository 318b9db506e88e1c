import { type Html, html } from '../../../../kit/html.ts';
import { type LinkRow, listInvitations } from '../../../../tenants/people/link-store.ts';
import { listMembers, type Member } from '../../../../tenants/people/member-store.ts';
import type { ConsoleDeps } from '../../deps.ts';
import type { Answer, TeamVisit } from '../../page.ts';
import { alert, badge, card, type Column, pageHead, table, when } from '../../parts/parts.ts';
import { PEOPLE_TEXTS } from './texts.ts';

/** Shows the people of the team and the invitations that are open. */
export async function showPeople({ stores: { control } }: ConsoleDeps, visit: TeamVisit): Promise<Answer> {
  const texts = PEOPLE_TEXTS[visit.language];
  const writes = visit.can('person.write');
  const [members, invitations] = await Promise.all([
    listMembers(control, visit.team.id),
    writes ? listInvitations(control, visit.team.id) : [],
  ]);
  const done = Object.entries(texts.done).find(([name]) => name === visit.query.done)?.[1];
  const actions = writes && html`<a class="button" href="${visit.base}/people/invite">${texts.invite}</a>`;
  return {
    kind: 'page',
    title: texts.title,
    nav: '/people',
    body: html`${pageHead(texts.title, { note: texts.note, actions })}${alert(done, 'good')}
${table(texts.title, memberColumns(visit, writes), members)}
${invitations.length > 0 && card(texts.invitations, table(texts.invitations, invitationColumns(visit), invitations))}`,
  };
}

function memberColumns(visit: TeamVisit, writes: boolean): Column<Member>[] {
  const texts = PEOPLE_TEXTS[visit.language];
  const isSelf = (user_id: string) => user_id === visit.session.user.id;
  return [
    {
      head: texts.name,
      kind: 'main',
      cell: ({ user_id, name, email, disabled_at }) =>
        html`${name} ${isSelf(user_id) && badge(texts.you, 'info')} ${
          disabled_at && badge(texts.disabled, 'bad')
        }<span class="under">${email}</span>`,
    },
    { head: texts.role, cell: ({ role }) => texts.roles[role] },
    {
      head: texts.factor,
      cell: ({ second_factor }) => (second_factor ? badge(texts.factorYes, 'good') : badge(texts.factorNo, 'warn')),
    },
    { head: texts.seen, cell: ({ seen_at }) => (seen_at ? when(seen_at, visit.language) : texts.never) },
    ...(writes
      ? [
          {
            head: texts.change,
            cell: ({ user_id, name }: Member) =>
              html`<a href="${visit.base}/people/${user_id}" aria-label="${texts.change} ${name}">${texts.change}</a>`,
          },
        ]
      : []),
  ];
}

function invitationColumns(visit: TeamVisit): Column<LinkRow>[] {
  const texts = PEOPLE_TEXTS[visit.language];
  const from = `${visit.base}/people`;
  const action = (id: string, name: string, email: string, label: string): Html =>
    html`<form method="post" action="${from}/invitations/${id}/${name}?from=${from}">${visit.formFields()}<button class="link" aria-label="${label} ${email}">${label}</button></form>`;
  return [
    { head: texts.email, kind: 'main', cell: ({ email }) => email },
    { head: texts.role, cell: ({ role }) => role && texts.roles[role] },
    { head: texts.until, cell: ({ expires_at }) => when(expires_at, visit.language) },
    { head: texts.resend, cell: ({ id, email }) => action(id, 'resend', email, texts.resend) },
    { head: texts.withdraw, cell: ({ id, email }) => action(id, 'withdraw', email, texts.withdraw) },
  ];
}
