import { judge } from './oracle.ts';
import type { World } from './population.ts';
import { takeSnapshot } from './snapshot.ts';

/** Compares everything that the world holds once nothing is under way. */
export async function audit(world: World): Promise<string[]> {
  return judge(await takeSnapshot(world));
}
