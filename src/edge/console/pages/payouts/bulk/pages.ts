import {
  fileLines,
  findBatch,
  latestBatches,
  linesFrom,
  sumsOf,
  troubledLines,
} from '../../../../../core/payout-batches/store.ts';
import type { BatchRow } from '../../../../../core/payout-batches/schema.ts';
import { notFound } from '../../../../../kit/errors.ts';
import type { ConsoleDeps } from '../../../deps.ts';
import { type Answer, type ConsolePage, fieldOf, redirect, type TeamVisit, teamPage } from '../../../page.ts';
import { confirmLines } from './confirm.ts';
import { followed, linesEnded, unpaidAmong, unpaidLines, waitingAmong } from './follow.ts';
import { proofOfSlice } from './go-on.ts';
import { makeBatch } from './make.ts';
import { MAX_CHARACTERS, parseList } from './parse.ts';
import { countForSecond, runSlice } from './run.ts';
import { batchView, formView, PAGE, pagesOf } from './views.ts';

/** Maximum latest lists beside the form. */
const LATEST = 10;

/** Size of a list of the maximum length. A form encodes a character in up to nine bytes. */
const MAX_LIST_BYTES = 9 * MAX_CHARACTERS;

/** Bulk payouts: a list is uploaded, checked, confirmed, and paid out slice by slice. */
export function bulkPages(deps: ConsoleDeps): ConsolePage[] {
  const path = '/payouts/bulk';
  const write = { permission: 'transfer.write', fresh: true } as const;
  return [
    teamPage({ ...write, method: 'GET', path, handle: (visit) => showForm(visit) }),
    teamPage({ ...write, method: 'POST', path, body_bytes: MAX_LIST_BYTES, handle: (visit) => upload(deps, visit) }),
    teamPage({ method: 'GET', path: `${path}/:batch`, permission: 'transfer.read', handle: showBatch }),
    teamPage({ ...write, method: 'POST', path: `${path}/:batch/run`, handle: (visit) => run(deps, visit) }),
    teamPage({ ...write, method: 'POST', path: `${path}/:batch/retry`, handle: (visit) => retry(deps, visit) }),
  ];
}

async function showForm(visit: TeamVisit, csv = '', fault?: string): Promise<Answer> {
  const latest = await latestBatches(visit.store.db, visit.team.id, LATEST);
  const [waiting, unpaid] = await Promise.all([waitingAmong(visit, latest), unpaidAmong(visit, latest)]);
  const shown = latest.map((batch) => ({
    ...batch,
    waits: waiting.has(batch.id),
    unpaid: batch.unpaid + (unpaid.get(batch.id) ?? 0),
  }));
  return formView(visit, shown, csv, fault);
}

async function upload(deps: ConsoleDeps, visit: TeamVisit): Promise<Answer> {
  const csv = fieldOf(visit, 'csv');
  const parsed = parseList(csv, visit.language);
  if ('fault' in parsed) return showForm(visit, csv, parsed.fault);
  return redirect(pathOf(visit, await makeBatch(deps, visit, parsed.lines)));
}

function pathOf({ base }: TeamVisit, id: string): string {
  return `${base}/payouts/bulk/${id}`;
}

/** Returns the list in the path. @throws Problem 404 when it does not exist */
async function batchOf({ store, team, params }: TeamVisit): Promise<BatchRow> {
  const batch = await findBatch(store.db, { team_id: team.id, id: params.batch ?? '' });
  if (!batch) throw notFound();
  return batch;
}

async function showBatch(visit: TeamVisit): Promise<Answer> {
  const { store, team, query } = visit;
  const batch = await batchOf(visit);
  const ref = { team_id: team.id, id: batch.id };
  const from = /^\d{1,3}$/.test(query.from ?? '') ? Math.max(1, Number(query.from)) : 1;
  const asked = await followed(visit, batch);
  const [sums, lines, troubled, second, places] = await Promise.all([
    sumsOf(store.db, ref),
    linesFrom(store.db, ref, from, PAGE),
    // On a single page these lines are visible in the table.
    batch.lines > PAGE
      ? troubledLines(store.db, ref, [...linesEnded(asked, 'refused', 'undone'), ...unpaidLines(asked)], PAGE)
      : [],
    batch.started_at === null ? countForSecond(visit, batch) : 0,
    batch.lines > PAGE ? fileLines(store.db, ref, pagesOf(batch).flat()) : new Map<number, number>(),
  ]);
  return batchView(visit, { batch, sums, lines, troubled, from, second, places, asked });
}

/** Pays out the next lines. The first time is the confirmation of the list. */
async function run(deps: ConsoleDeps, visit: TeamVisit): Promise<Answer> {
  const batch = await batchOf(visit);
  const path = pathOf(visit, batch.id);
  const confirmed = batch.started_at !== null || (await confirmLines(deps, visit, batch, 'open', fieldOf(visit, 'sure')));
  if (!confirmed) return redirect(`${path}?stop=sure`);
  const stop = await runSlice(visit, batch);
  return redirect(stop === null ? `${path}?go=${proofOfSlice(visit, batch.id)}` : `${path}?stop=${stop}`);
}

/** Tries the failed lines again with the same keys, so none is paid twice. */
async function retry(deps: ConsoleDeps, visit: TeamVisit): Promise<Answer> {
  const batch = await batchOf(visit);
  const confirmed = batch.started_at === null || (await confirmLines(deps, visit, batch, 'failed', fieldOf(visit, 'sure')));
  return confirmed ? run(deps, visit) : redirect(`${pathOf(visit, batch.id)}?stop=sure`);
}
