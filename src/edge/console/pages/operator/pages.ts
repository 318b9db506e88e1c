import { html } from '../../../../kit/html.ts';
import { listTeamLines, type TeamLine } from '../../../../tenants/people/member-store.ts';
import type { ConsoleDeps } from '../../deps.ts';
import type { Texts } from '../../language.ts';
import { type Answer, type ConsolePage, type PersonVisit, personPage } from '../../page.ts';
import { number } from '../../parts/format.ts';
import { type Column, pageHead, table, when } from '../../parts/parts.ts';

const PAGE = 50;

interface OperatorTexts {
  title: string;
  note: string;
  team: string;
  plan: string;
  level: string;
  members: string;
  created: string;
  more: string;
  back: string;
}

const TEXTS: Texts<OperatorTexts> = {
  en: {
    title: 'Teams of this installation',
    note: 'Plan, level and people are changed on the command line. No money is shown or moved here.',
    team: 'Team',
    plan: 'Plan',
    level: 'Level',
    members: 'People',
    created: 'Created (UTC)',
    more: 'More teams',
    back: 'Back to the console',
  },
  fr: {
    title: 'Équipes de cette installation',
    note: 'L’offre, le niveau et les utilisateurs se modifient en ligne de commande. Aucun argent n’est affiché ni déplacé ici.',
    team: 'Équipe',
    plan: 'Offre',
    level: 'Niveau',
    members: 'Utilisateurs',
    created: 'Créée le (UTC)',
    more: 'Plus d’équipes',
    back: 'Retour à la console',
  },
};

/** The page of operators. */
export function operatorPages(deps: ConsoleDeps): ConsolePage[] {
  return [personPage({ method: 'GET', path: '/operator', operator: true, handle: (visit) => showTeams(deps, visit) })];
}

async function showTeams({ stores: { control } }: ConsoleDeps, visit: PersonVisit): Promise<Answer> {
  const texts = TEXTS[visit.language];
  const before = /^[1-9]\d{0,17}$/.test(visit.query.before ?? '') ? BigInt(visit.query.before as string) : null;
  const found = await listTeamLines(control, before, PAGE + 1);
  const shown = found.slice(0, PAGE);
  const last = shown.at(-1);
  const next =
    found.length > PAGE &&
    last &&
    html`<nav class="pager"><a class="button quiet-button" rel="next" href="/console/operator?before=${String(last.id)}">${texts.more}</a></nav>`;
  return {
    kind: 'page',
    title: texts.title,
    wide: true,
    body: html`${pageHead(texts.title, { note: texts.note })}${table(texts.title, columns(visit), shown)}${next}<p><a href="/console/">${texts.back}</a></p>`,
  };
}

function columns({ language }: PersonVisit): Column<TeamLine>[] {
  const texts = TEXTS[language];
  return [
    {
      head: texts.team,
      kind: 'main',
      cell: ({ id, name, email }) => html`${name}<span class="under">${String(id)} · ${email}</span>`,
    },
    { head: texts.plan, cell: ({ plan }) => plan },
    { head: texts.level, kind: 'number', cell: ({ verification_level }) => verification_level },
    { head: texts.members, kind: 'number', cell: ({ members }) => number(members, language) },
    { head: texts.created, cell: ({ created_at }) => when(created_at, language) },
  ];
}
