import { during, type Fault } from './fault.ts';

const NODES = ['api1', 'worker1'];
/** Until the balancer has noticed: two checks. */
const NOTICED_MS = 3_000;

export const killNodes: Fault = {
  name: 'kill-nodes',
  title: 'an API and a worker process are killed',
  impossible: ({ state }) =>
    state.processes.filter(({ kind }) => kind === 'api').length > 1 ? null : 'there is only one API process',
  async run(stage) {
    // Open requests are cut; the balancer must not repeat them, because they may have been carried out.
    const course = await during(['cut', 'balancer'], NOTICED_MS, async () => {
      for (const name of NODES) stage.kill(name);
    });
    await stage.wait(4);
    await Promise.all(NODES.map((name) => stage.startProgram(name)));
    return course;
  },
};
