import type { Secrets } from '../../kit/crypto.ts';
import { startOfUtcDay } from '../../kit/days.ts';
import { invalid } from '../../kit/errors.ts';
import { lowestIdAt } from '../../kit/ids.ts';
import { type CursorMeta, cursorPage, Cursors, type Position } from '../../kit/paging.ts';
import type { Store } from '../../platform/db/stores.ts';
import { REQUESTS_KEEP_MS, type RequestRow } from './schema.ts';
import { findRequests, type RequestFilter } from './store.ts';

const DAY_MS = 24 * 60 * 60_000;
const PER_PAGE = 50;

/** A page of the log. */
export interface RequestPage {
  items: RequestRow[];
  meta: CursorMeta;
  /** Position at which the search of the page stopped, when more matches may follow; null otherwise. */
  searched_to: string | null;
}

/** What is listed: a filter, and a UTC day such as `2026-11-23`. */
export interface Wanted extends RequestFilter {
  day?: string | undefined;
  cursor: string;
}

/**
 * Lists requests of a team of the last seven days, the newest first. A page compares a limited number of requests with the filter. Its
 * cursor continues where the search stopped.
 * @throws Problem 422 for a day or a cursor that is not valid
 */
export async function listRequests(
  { secrets }: { secrets: Secrets },
  { environment, db }: Store,
  team_id: bigint,
  { day, cursor, ...filter }: Wanted,
  at: number,
): Promise<RequestPage> {
  const cursors = new Cursors(secrets, `request_log:${environment}:${team_id}`);
  const position = cursors.position({ cursor, per_page: PER_PAGE }) as Exclude<Position, { kind: 'offset' }>;
  const { from, to } = periodOf(day, at);
  const [lowest, highest] = [lowestIdAt('rql', environment, from), lowestIdAt('rql', environment, to)];
  const older = position.kind === 'older';
  const { rows, stopped_at } = await findRequests(db, team_id, filter, {
    direction: older ? 'older' : 'newer',
    ...(older ? { than: position.than ?? highest, until: lowest } : { than: position.than, until: highest }),
    limit: PER_PAGE + 1,
  });
  const { items, meta } = cursorPage(cursors, position, rows, lowest);
  if (stopped_at === null) return { items, meta, searched_to: null };
  const further = cursors.seal(older ? 'o' : 'n', stopped_at);
  return {
    items,
    meta: { ...meta, ...(older ? { next_cursor: further, has_more: true } : { prev_cursor: further }) },
    searched_to: stopped_at,
  };
}

function periodOf(day: string | undefined, at: number): { from: number; to: number } {
  const earliest = at - REQUESTS_KEEP_MS;
  // The end is a day ahead, to include requests of a process whose clock is ahead.
  if (!day) return { from: earliest, to: at + DAY_MS };
  const start = startOfUtcDay(day);
  if (start === null) throw invalid({ day: ['must be a day such as 2026-11-23'] });
  return { from: Math.max(start, earliest), to: start + DAY_MS };
}
