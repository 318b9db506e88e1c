import type { Command } from 'commander';
import { Maker } from '../../../edge/sandbox-events/maker.ts';
import { RECIPES } from '../../../edge/sandbox-events/recipes.ts';
import { NotTriggered } from '../../../edge/sandbox-events/sandbox.ts';
import type { EventType } from '../../../money/events/catalogue.ts';
import { openApi } from '../api.ts';
import type { ApiOptions } from '../api-options.ts';
import { Failure, UsageFailure } from '../failure.ts';
import { details, print, table } from '../output.ts';
import { NOTICES, type Notice, notify } from './disputes.ts';
import { sandboxOf } from './sandbox.ts';

interface TriggerOptions extends ApiOptions {
  list?: true;
  payment?: string;
  amount?: string;
  team?: bigint;
  json?: true;
}

/** `pirogue trigger payment.succeeded` */
export async function triggerCommand(event: string | undefined, options: TriggerOptions, command: Command): Promise<void> {
  if (options.list) return list(options.json);
  if (!event) return command.error('error: give an event type: "pirogue trigger --list" shows them');
  const { payment } = options;
  if (payment !== undefined) {
    if (!isNotice(event)) return command.error(`error: --payment is for ${NOTICES.join(', ')}`);
    return show(await notify(event, { ...options, payment }), options.json);
  }
  if (options.amount !== undefined || options.team !== undefined)
    return command.error('error: --amount and --team need --payment');
  if (isNotice(event) && !isType(event)) return command.error(`error: ${event} needs --payment`);
  if (!isType(event)) return command.error(`error: ${event} is not an event type: "pirogue trigger --list" shows them`);
  const recipe = RECIPES[event];
  if (typeof recipe === 'string')
    throw new UsageFailure(`${event} cannot be triggered: ${recipe}`, '"pirogue trigger --list" shows which can.');
  const maker = new Maker(sandboxOf(openApi(options)));
  const made = async () => maker.eventOf(event, await recipe(maker));
  const { id, data } = await made().catch((error: unknown) => {
    throw error instanceof NotTriggered ? new Failure(error.message, ADVICE[error.reason]) : error;
  });
  show(data, options.json, id);
}

const ADVICE: Readonly<Record<NotTriggered['reason'], string>> = {
  no_endpoint: 'Register one with POST /webhooks first.',
  not_arrived: 'Are the workers running? Check with "pirogue doctor".',
};

function isNotice(event: string): event is Notice {
  return NOTICES.some((notice) => notice === event);
}

function isType(event: string): event is EventType {
  return Object.hasOwn(RECIPES, event);
}

function list(json: true | undefined): void {
  const events = Object.entries(RECIPES).map(([event, recipe]) => ({
    event,
    can_be_triggered: typeof recipe !== 'string',
    why_not: typeof recipe === 'string' ? recipe : null,
  }));
  print(json, events, () =>
    table(
      ['EVENT', 'CAN BE TRIGGERED'],
      events.map(({ event, why_not }) => [event, why_not ? `no: ${why_not}` : 'yes']),
    ),
  );
}

/** Fields that identify a resource and its status. --json prints all fields. */
const SHOWN_FIELDS = ['id', 'payment', 'amount', 'currency', 'status', 'reason', 'name', 'active'];

/**
 * Prints a resource.
 * @param event id of the event that reports it
 */
function show(resource: object, json: true | undefined, event?: string): void {
  const fields = Object.entries(resource).filter(([name, value]) => SHOWN_FIELDS.includes(name) && value !== null);
  print(json, resource, () =>
    details({ ...Object.fromEntries(fields.map(([name, value]) => [name, String(value)])), ...(event ? { event } : {}) }),
  );
}
