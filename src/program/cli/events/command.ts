import { type Command, Option } from 'commander';
import { EVENT_TYPES } from '../../../money/events/catalogue.ts';
import { addApiOptions, webAddress } from '../api-options.ts';
import { pageSize } from '../values.ts';

const actions = () => import('./actions.ts');
const json = ['--json', 'print one JSON document'] as const;

/** `pirogue events …` */
export function addEvents(program: Command): void {
  const events = program.command('events').description('events of the sandbox');
  const list = events
    .command('list')
    .description('show the events, newest first')
    .addOption(new Option('--type <type>', 'only of this type, such as payment.succeeded').choices(EVENT_TYPES))
    .option('--limit <number>', 'maximum number, up to 100', pageSize, 25);
  addApiOptions(list)
    .option(...json)
    .action(async (options) => (await actions()).listEventsCommand(options));
  const resend = events
    .command('resend')
    .description('deliver an event again, to every active endpoint that subscribes to it')
    .argument('<event>', 'evt_test_…')
    .option('--forward-to <address>', 'to this address instead, with the signature of "pirogue listen"', webAddress);
  addApiOptions(resend)
    .option(...json)
    .action(async (id, options, command) => (await actions()).resendCommand(id, options, command));
}
