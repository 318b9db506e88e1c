import { rowsOf } from '../observer.ts';
import { membersOf, memberOf } from '../parts/database.ts';
import { until } from '../wait.ts';
import { type Fault, UNNOTICED } from './fault.ts';

const DEADLINE_MS = 60_000;

export const promotedTwice: Fault = {
  name: 'promoted-twice',
  title: 'a standby is promoted by hand beside the primary, twice',
  is_unnoticed: true,
  impossible: () => null,
  async run(stage) {
    const name = (await membersOf(stage.state)).find(({ role }) => role === 'replica')?.name;
    if (!name) throw new Error('there is no second standby');
    const { host, port } = memberOf(stage.state, name);
    const url = `postgresql://postgres:${stage.state.choices.passwords.superuser}@${host}:${port}/postgres`;
    const isStandby = async () => (await rowsOf<{ is: boolean }>(url, 'select pg_is_in_recovery() as is'))[0]?.is ?? false;
    for (let time = 1; time <= 2; time++) {
      await until(`${name} is a standby`, DEADLINE_MS, () => isStandby().catch(() => false));
      await rowsOf(url, 'select pg_promote()');
      stage.progress(`${name} was promoted beside ${stage.monitor.primary}`);
      // Patroni makes it a standby again, with what it has written thrown away.
      await until(`${name} follows the primary again`, DEADLINE_MS, async () => {
        const member = (await membersOf(stage.state)).find((one) => one.name === name);
        return /standby|replica/.test(member?.role ?? '') && (await isStandby().catch(() => false));
      });
    }
    return UNNOTICED;
  },
};
