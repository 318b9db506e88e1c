import type { Environment } from '../../kit/environment.ts';
import { type Queryable, sql, type Tx } from '../../kit/sql.ts';

/** A list of the console, for one person in a team. */
export interface ViewPlace {
  user_id: string;
  team_id: bigint;
  environment: Environment;
  /** Path of the list below the team's, such as `/payments`. */
  page: string;
}

/** Filters of a list under a name. */
export interface SavedView {
  name: string;
  /** As in the address, in a fixed order. */
  query: string;
}

/** Maximum number of views of a person in one list. */
export const MAX_VIEWS = 20;

/** Returns the views of a list, the oldest first. */
export function listViews(db: Queryable, { user_id, team_id, environment, page }: ViewPlace): Promise<SavedView[]> {
  return db.all<SavedView>(sql`
    select name, query from console_views
    where user_id = ${user_id} and team_id = ${team_id} and environment = ${environment} and page = ${page}
    order by created_at, name limit ${MAX_VIEWS}`);
}

/**
 * Saves a view, or replaces the filters of one with the same name. The membership is locked, so that two requests cannot both take the
 * last place.
 * @returns false when there are as many views as a list may have
 */
export async function saveView(tx: Tx, place: ViewPlace, { name, query }: SavedView): Promise<boolean> {
  const { user_id, team_id, environment, page } = place;
  await tx.maybe(sql`select 1 as found from memberships where team_id = ${team_id} and user_id = ${user_id} for update`);
  const views = await listViews(tx, place);
  if (views.length >= MAX_VIEWS && !views.some((view) => view.name === name)) return false;
  await tx.run(sql`
    insert into console_views (user_id, team_id, environment, page, name, query)
    values (${user_id}, ${team_id}, ${environment}, ${page}, ${name}, ${query})
    on conflict (user_id, team_id, environment, page, name) do update set query = excluded.query`);
  return true;
}

/** Deletes a view. It is not an error when there is none with this name. */
export async function deleteView(db: Queryable, place: ViewPlace, name: string): Promise<void> {
  const { user_id, team_id, environment, page } = place;
  await db.run(sql`
    delete from console_views
    where user_id = ${user_id} and team_id = ${team_id} and environment = ${environment} and page = ${page} and name = ${name}`);
}
