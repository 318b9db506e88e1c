import { during, type Fault } from './fault.ts';

export const pgbouncerRestart: Fault = {
  name: 'pgbouncer-restart',
  title: 'PgBouncer is killed, and is back after two seconds',
  impossible: ({ state }) =>
    state.processes.some(({ name }) => name === 'pgbouncer') ? null : 'the PgBouncer is not of this cluster',
  async run(stage) {
    return during(['500', 'balancer'], 5_000, async () => {
      stage.kill('pgbouncer');
      await stage.wait(2);
      stage.startAgain('pgbouncer');
    });
  },
};
