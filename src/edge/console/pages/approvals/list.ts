import { type HtmlPart, html } from '../../../../kit/html.ts';
import { isId } from '../../../../kit/ids.ts';
import { type ApprovalRow, MAX_WAITING } from '../../../../tenants/approvals/schema.ts';
import { listEnded, listWaiting } from '../../../../tenants/approvals/store.ts';
import { listThresholds } from '../../../../tenants/approvals/threshold-store.ts';
import { mayDecide } from '../../approvals/decider.ts';
import { asTheyStand, type Made, madeBy } from '../../approvals/standing.ts';
import type { Answer, TeamVisit } from '../../page.ts';
import { pager } from '../../parts/pager.ts';
import { alert, badge, card, type Column, empty, pageHead, table, when } from '../../parts/parts.ts';
import { amountOf, nameOf, peopleOf, stateBadge } from './parts.ts';
import { APPROVAL_TEXTS } from './texts.ts';

const PER_PAGE = 25;

/** Shows the open approvals, then those that have ended. */
export async function showApprovals(visit: TeamVisit): Promise<Answer> {
  const { team, environment, language, base, approvals } = visit;
  const { control } = approvals;
  const texts = APPROVAL_TEXTS[language];
  const { cursor = '' } = visit.query;
  const before = isId('apv', environment, cursor) ? cursor : null;
  const [listed, found, thresholds] = await Promise.all([
    before === null ? listWaiting(control, team.id, environment, MAX_WAITING) : [],
    listEnded(control, { team_id: team.id, environment }, before, PER_PAGE + 1),
    listThresholds(control, team.id),
  ]);
  const standing = await asTheyStand(visit, listed);
  const waits = standing.filter(({ outcome }) => outcome === null);
  // Approvals in the count beside the navigation come first.
  const own = waits.filter((row) => mayDecide(visit, row));
  const waiting = [...own, ...waits.filter((row) => !own.includes(row))];
  const page = found.slice(0, PER_PAGE);
  const ended = [...standing.filter(({ outcome }) => outcome !== null), ...(await asTheyStand(visit, page))];
  const made = await madeBy(visit, [...waiting, ...ended]);
  const name = await peopleOf(visit, [...waiting, ...ended]);
  const columns = columnsOf(visit, name, made);
  const meta = { has_more: found.length > PER_PAGE, next_cursor: page.at(-1)?.id ?? null };
  const actions = html`<a class="button quiet-button" href="${base}/settings/approvals">${texts.thresholds}</a>`;
  const first = waiting.length > 0 ? table(texts.waiting, columns, waiting) : empty(texts.noneTitle, texts.noneText);
  return {
    kind: 'page',
    title: texts.title,
    nav: '/approvals',
    body: html`${pageHead(texts.title, { note: texts.note, actions })}${thresholds.length === 0 && alert(texts.off, 'info')}
${before === null && card(texts.waiting, first)}${
  ended.length > 0 && card(texts.ended, html`${table(texts.ended, columns, ended)}${pager(visit, `${base}/approvals`, meta)}`)
}`,
  };
}

function columnsOf(visit: TeamVisit, name: (id: string) => HtmlPart, made: ReadonlyMap<string, Made>): Column<ApprovalRow>[] {
  const { language, base } = visit;
  const texts = APPROVAL_TEXTS[language];
  return [
    {
      head: texts.what,
      kind: 'main',
      cell: (row) => html`<a href="${base}/approvals/${row.id}">${nameOf(row, language)}</a>`,
    },
    { head: texts.amount, kind: 'number', cell: (row) => amountOf(row, language) ?? '—' },
    { head: texts.askedBy, cell: ({ asked_by }) => name(asked_by) },
    { head: texts.askedAt, cell: ({ asked_at }) => when(asked_at, language) },
    { head: texts.until, cell: ({ expires_at }) => when(expires_at, language) },
    {
      head: texts.state,
      cell: (row) =>
        html`${stateBadge(row, made.get(row.result ?? ''), language)}${mayDecide(visit, row) && html` ${badge(texts.forYou, 'warn')}`}`,
    },
  ];
}
