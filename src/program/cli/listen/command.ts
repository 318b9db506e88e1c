import { type Command, InvalidArgumentError } from 'commander';
import { EVENT_TYPES, subscriptionsOf } from '../../../money/events/catalogue.ts';
import { addApiOptions, webAddress } from '../api-options.ts';
import { parseDuration } from '../../../platform/config/read.ts';
import { commandClock } from '../command-clock.ts';
import { isId, lowestIdAt } from '../../../kit/ids.ts';

/** `pirogue listen` */
export function addListen(program: Command): void {
  const listen = program
    .command('listen')
    .description('print the events of the sandbox as they happen, and post them to an address of this machine')
    .option('--forward-to <address>', 'such as http://localhost:3000/hook; no https needed', webAddress)
    .option('--events <types>', 'only these, such as payment.*,refund.succeeded', typeList)
    .option('--since <time>', 'also earlier events: of the last 10m, or since evt_test_…', since);
  addApiOptions(listen)
    .option('--json', 'print one JSON document per line')
    .action(async (options) => (await import('./actions.ts')).listenCommand(options));
}

/**
 * Parses event types as an endpoint subscribes to them: a type, `payment.*` or `*`.
 * @throws InvalidArgumentError
 */
function typeList(text: string): string[] {
  const known = new Set(EVENT_TYPES.flatMap(subscriptionsOf));
  const types = text.split(',').map((type) => type.trim());
  const wrong = types.filter((type) => !known.has(type));
  if (wrong.length === 0) return types;
  throw new InvalidArgumentError(
    `${wrong.join(', ')}: no such type. "pirogue trigger --list" shows them; payment.* and * work too.`,
  );
}

const MAX_BACK_MS = 7 * 86_400_000;

/**
 * Parses a duration or the id of an event.
 * @returns the id from which on events are reported
 * @throws InvalidArgumentError
 */
function since(text: string): string {
  if (isId('evt', 'sandbox', text)) return text;
  const back = parseDuration(text);
  if (back !== null && back <= MAX_BACK_MS) return lowestIdAt('evt', 'sandbox', commandClock.now() - back);
  throw new InvalidArgumentError('Use a time of at most 7d, such as 10m, or the id of an event (evt_test_…).');
}
