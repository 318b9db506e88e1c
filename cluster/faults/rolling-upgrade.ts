import { previousRelease } from '../../scripts/testing/previous.ts';
import { rowsOf } from '../observer.ts';
import type { ProgramChoice } from '../parts/program.ts';
import type { Stage } from '../stage.ts';
import { type Fault, UNNOTICED } from './fault.ts';

export const rollingUpgrade: Fault = {
  name: 'rolling-upgrade',
  title: 'all processes are replaced by the previous release, one API and one worker process at a time, and back',
  is_unnoticed: true,
  impossible: ({ state }) =>
    state.processes.filter(({ kind }) => kind === 'api').length > 1 ? null : 'there is only one API process',
  // The cluster was installed by this release. Where the previous one had been at work, its migrations keep what it needs for a week:
  // responses of keys where it reads them.
  async prepare({ state }) {
    await rowsOf(
      state.owner_urls.live,
      'create or replace function pirogue_answers_apart() returns boolean language sql stable parallel safe return false',
    );
  },
  async run(stage) {
    await using previous = await previousRelease();
    await replaceAll(stage, { source: previous.folder });
    await stage.wait(4);
    await replaceAll(stage, {});
    return UNNOTICED;
  },
};

async function replaceAll(stage: Stage, choice: ProgramChoice): Promise<void> {
  const programs = stage.state.processes.filter(({ kind }) => kind === 'api' || kind === 'worker').map(({ name }) => name);
  // As on machines with an API and a worker process each: `api1` and `worker1`, then `api2` and `worker2`.
  for (const names of Map.groupBy(programs, (name) => name.replace(/^[a-z]+/, '')).values()) {
    await Promise.all(names.map((name) => stage.replaceProgram(name, choice)));
    stage.progress(`${names.join(' and ')} run ${choice.source ? 'the previous release' : 'this release'}`);
    // Until the balancer sends requests to it again.
    await stage.wait(2);
  }
}
