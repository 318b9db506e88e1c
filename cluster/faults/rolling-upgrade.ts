import { previousRelease } from '../../scripts/testing/previous.ts';
import { ALWAYS_PERMITTED } from '../../src/kit/packing.ts';
import { rowsOf } from '../observer.ts';
import type { ProgramChoice } from '../parts/program.ts';
import type { Stage } from '../stage.ts';
import { type Fault, UNNOTICED } from './fault.ts';

/** Until the balancer sends requests to a process that was started again. */
const BALANCER_S = 2;

export const rollingUpgrade: Fault = {
  name: 'rolling-upgrade',
  title: 'all processes are replaced by the previous release, one API and one worker process at a time, and back',
  is_unnoticed: true,
  impossible: ({ state }) =>
    state.processes.filter(({ kind }) => kind === 'api').length > 1 ? null : 'there is only one API process',
  prepare: asAfterAnUpgrade,
  async run(stage) {
    await using previous = await previousRelease();
    await replaceAll(stage, { source: previous.folder });
    await stage.wait(4);
    await replaceAll(stage, {});
    return UNNOTICED;
  },
};

/**
 * The cluster was installed by this release. Where the previous one was at work, the migrations keep what its nodes read: responses of
 * keys where it looks for them, and the format of stored JSON. Processes read the format when they start.
 */
async function asAfterAnUpgrade(stage: Stage): Promise<void> {
  const { control, live } = stage.state.owner_urls;
  await rowsOf(
    live,
    'create or replace function pirogue_answers_apart() returns boolean language sql stable parallel safe return false',
  );
  await rowsOf(control, `update formats set permitted = ${ALWAYS_PERMITTED} where name = 'packing'`);
  await Promise.all(programsOf(stage).map((name) => stage.replaceProgram(name)));
  await stage.wait(BALANCER_S);
}

function programsOf({ state }: Stage): string[] {
  return state.processes.filter(({ kind }) => kind === 'api' || kind === 'worker').map(({ name }) => name);
}

async function replaceAll(stage: Stage, choice: ProgramChoice): Promise<void> {
  // As on machines with an API and a worker process each: `api1` and `worker1`, then `api2` and `worker2`.
  for (const names of Map.groupBy(programsOf(stage), (name) => name.replace(/^[a-z]+/, '')).values()) {
    await Promise.all(names.map((name) => stage.replaceProgram(name, choice)));
    stage.progress(`${names.join(' and ')} run ${choice.source ? 'the previous release' : 'this release'}`);
    await stage.wait(BALANCER_S);
  }
}
