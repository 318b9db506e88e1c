import { type Fault, failover } from './fault.ts';

export const killPrimary: Fault = {
  name: 'kill-primary',
  title: 'the primary and its Patroni are killed (kill -9)',
  impossible: () => null,
  async run(stage) {
    let killed = '';
    const course = await failover(stage, (primary) => {
      killed = primary;
      stage.killMember(primary);
    });
    await stage.wait(3);
    stage.startMember(killed);
    return course;
  },
};
