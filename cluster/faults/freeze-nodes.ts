import { during, type Fault } from './fault.ts';

const NODES = ['api1', 'worker1'];
/** Longer than the lease of a charge (60 s), the longest of all. */
const FROZEN_S = 65;
/** Until the balancer has noticed: two checks, each of four seconds. */
const NOTICED_MS = 12_000;

export const freezeNodes: Fault = {
  name: 'freeze-nodes',
  title: 'an API and a worker process are stopped beyond their leases, then continued',
  impossible: ({ state }) =>
    state.processes.filter(({ kind }) => kind === 'api').length > 1 ? null : 'there is only one API process',
  async run(stage) {
    const course = await during(['cut', 'balancer', '500'], NOTICED_MS, async () => {
      for (const name of NODES) stage.freeze(name);
    });
    await stage.wait(FROZEN_S);
    for (const name of NODES) stage.thaw(name);
    await stage.wait(5);
    // Statements of the frozen process have ended without it.
    const thawed = { from: Date.now() - 6_000, to: Date.now() + 4_000, kinds: ['500'] as const };
    return { ...course, windows: [...course.windows, thawed] };
  },
};
