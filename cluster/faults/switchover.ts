import { membersOf } from '../parts/database.ts';
import { type Fault, failover } from './fault.ts';

const DEADLINE_MS = 60_000;

export const switchover: Fault = {
  name: 'switchover',
  title: 'the primary is changed as planned',
  impossible: () => null,
  async run(stage) {
    return failover(stage, async (leader) => {
      const { host, rest_port } = await stage.primary();
      const candidate = (await membersOf(stage.state)).find(({ role }) => role === 'sync_standby')?.name;
      // Patroni answers when the change is done, which is later than the first write.
      void fetch(`http://${host}:${rest_port}/switchover`, {
        method: 'POST',
        body: JSON.stringify({ leader, candidate }),
        signal: AbortSignal.timeout(DEADLINE_MS),
      }).catch(() => {});
    });
  },
};
