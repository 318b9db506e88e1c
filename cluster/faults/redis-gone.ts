import { type Fault, UNNOTICED } from './fault.ts';

export const redisGone: Fault = {
  name: 'redis-gone',
  title: 'Redis is killed, and is back after ten seconds',
  is_unnoticed: true,
  impossible: ({ state }) => (state.processes.some(({ name }) => name === 'redis') ? null : 'the Redis is not of this cluster'),
  async run(stage) {
    stage.kill('redis');
    await stage.wait(10);
    stage.startAgain('redis');
    await stage.wait(3);
    return UNNOTICED;
  },
};
