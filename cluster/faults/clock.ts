import { type Fault, UNNOTICED } from './fault.ts';

const NODES = ['api2', 'worker2'];
const HELD_S = 12;

/** One API and one worker process on a machine whose clock is wrong. */
function wrongClock(name: string, minutes: number): Fault {
  return {
    name,
    title: `the clock of a node is ${Math.abs(minutes)} minutes ${minutes > 0 ? 'ahead' : 'behind'}`,
    is_unnoticed: true,
    impossible: ({ state }) =>
      NODES.every((node) => state.processes.some((one) => one.name === node))
        ? null
        : 'it needs two API and two worker processes',
    async run(stage) {
      const stale = stage.receiver.stale;
      const env = { CLUSTER_CLOCK_SHIFT_MS: String(minutes * 60_000) };
      await Promise.all(NODES.map((node) => stage.replaceProgram(node, { env }, '/health/live')));
      await stage.wait(HELD_S);
      await Promise.all(NODES.map((node) => stage.replaceProgram(node)));
      const refused = stage.receiver.stale - stale;
      return { ...UNNOTICED, found: refused > 0 ? [`${refused} deliveries had a timestamp that receivers refuse`] : [] };
    },
  };
}

export const clockAhead = wrongClock('clock-ahead', 10);
export const clockBehind = wrongClock('clock-behind', -10);
