import { judge } from './oracle.ts';
import type { World } from './population.ts';
import { type Shown, type Snapshot, takeSnapshot } from './snapshot.ts';

/** Compares everything that the world holds once nothing is under way. */
export async function audit(world: World): Promise<string[]> {
  const snapshot = await takeSnapshot(world);
  world.ground.surroundings.log(summaryOf(snapshot));
  return judge(snapshot);
}

/** What the world came to: a run in which nothing happens proves nothing. */
function summaryOf({ shops, moved, mismatches, kept }: Snapshot): string {
  const counted = (items: readonly Shown[], of: (item: Shown) => string) =>
    [...Map.groupBy(items, of)].map(([name, all]) => `${all.length} ${name}`).join(', ');
  const lists = (['payments', 'refunds', 'transfers', 'disputes', 'links', 'invoices'] as const).map((list) => {
    return `${list}: ${counted(
      shops.flatMap((shop) => shop[list]),
      ({ status }) => status,
    )}`;
  });
  const aside = counted(
    shops.flatMap(({ events }) => events.filter(({ event }) => /late_success|return_required/.test(event))),
    ({ event }) => event,
  );
  return [
    ...lists,
    `moved: ${counted(moved, ({ flow }) => flow)}`,
    `${aside}, ${mismatches.length} mismatches, ${kept.length} kept`,
  ].join('; ');
}
