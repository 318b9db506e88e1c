import { commandClock } from '../command-clock.ts';
import { advanceClock, type Advanced } from '../../../edge/sandbox-clock/service.ts';
import { operator } from '../operator.ts';
import { durationText } from '../format.ts';
import { inStore } from '../in-store.ts';
import { print, table } from '../output.ts';

const WORDS: Record<keyof Advanced, string> = {
  payments: 'unpaid payments',
  charges: 'open charges',
  disputes: 'disputes to be answered',
  refunds: 'open refunds',
  transfers: 'open transfers',
  holds: 'money in retention',
  deliveries: 'webhook deliveries to be retried',
};

/** `pirogue sandbox clock advance 25h` */
export async function advanceCommand(by_ms: number, options: { team?: bigint; json?: true }): Promise<void> {
  const { team_id, advanced } = await inStore('sandbox', options, async (store, team_id) => ({
    team_id,
    advanced: await advanceClock({ clock: commandClock }, store, { team_id, by_ms }, operator()),
  }));
  print(options.json, { team_id: String(team_id), advanced_ms: by_ms, ...advanced }, () =>
    [
      table(
        ['WAITING', 'NEARER', 'DUE NOW'],
        Object.entries(WORDS).map(([kind, words]) => {
          const { moved, due } = advanced[kind as keyof Advanced];
          return [words, String(moved), String(due)];
        }),
      ),
      '',
      `The clock of team ${team_id} was advanced by ${durationText(by_ms)}. The running service processes what is due within two seconds.`,
    ].join('\n'),
  );
}
