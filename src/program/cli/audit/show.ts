import { type EntryRow, findEntries } from '../../../tenants/audit/store.ts';
import { firstOf, print, shortMoment, table } from '../output.ts';
import { DATABASES, type DatabaseName, withTrails } from './open.ts';

interface Options {
  team?: bigint;
  resource?: string;
  action?: string;
  by?: string;
  request?: string;
  since?: Date;
  database?: DatabaseName;
  limit: number;
  json?: true;
}

type Found = EntryRow & { database: DatabaseName };

/** Prints the newest entries of all trails together. */
export async function showCommand(options: Options): Promise<void> {
  const { team, resource, action, by, request, since, database, limit, json } = options;
  const wanted = { team_id: team, resource_id: resource, action, actor_id: by, request_id: request, since };
  const found: Found[] = [];
  await withTrails(database ? [database] : DATABASES, async ({ db, database, chain }) => {
    const rows = await findEntries(db, wanted, limit + 1, chain);
    found.push(...rows.map((row) => ({ ...row, database })));
  });
  found.sort((a, b) => b.created_at.getTime() - a.created_at.getTime());
  const shown = firstOf(found, limit);
  print(json, shown.map(presented), () =>
    table(
      ['WHEN', 'DATABASE', 'TEAM', 'ACTION', 'RESOURCE', 'BY', 'FROM', 'REQUEST'],
      shown.map((row) => [
        shortMoment(row.created_at),
        row.database,
        row.team_id === null ? '-' : String(row.team_id),
        row.action,
        row.resource_id,
        row.actor_id ?? row.actor,
        row.address ?? '-',
        row.request_id ?? '-',
      ]),
    ),
  );
}

function presented({ team_id, id, ...row }: Found) {
  return { ...row, team_id: team_id === null ? null : String(team_id), entry: String(id) };
}
