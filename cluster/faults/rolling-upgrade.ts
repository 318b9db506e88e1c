import { previousRelease } from '../../scripts/testing/previous.ts';
import type { ProgramChoice } from '../parts/program.ts';
import type { Stage } from '../stage.ts';
import { type Fault, UNNOTICED } from './fault.ts';

export const rollingUpgrade: Fault = {
  name: 'rolling-upgrade',
  title: 'all processes are replaced by the previous release, one by one, and back',
  impossible: ({ state }) =>
    state.processes.filter(({ kind }) => kind === 'api').length > 1 ? null : 'there is only one API process',
  async run(stage) {
    await using previous = await previousRelease();
    await replaceAll(stage, { source: previous.folder });
    await stage.wait(4);
    await replaceAll(stage, {});
    return UNNOTICED;
  },
};

async function replaceAll(stage: Stage, choice: ProgramChoice): Promise<void> {
  const programs = stage.state.processes.filter(({ kind }) => kind === 'api' || kind === 'worker');
  for (const { name } of programs) {
    await stage.replaceProgram(name, choice);
    stage.progress(`${name} runs ${choice.source ? 'the previous release' : 'this release'}`);
    // Until the balancer sends requests to it again.
    await stage.wait(2);
  }
}
