import type { Command } from 'commander';
import { addBlock, removeBlock } from '../../../core/abuse/blocks.ts';
import { emailHash, payerHashes } from '../../../core/abuse/known-by.ts';
import { type BlockRow, blocksOf } from '../../../core/abuse/service.ts';
import { type Config, readConfig } from '../../../platform/config/config.ts';
import { findCustomer } from '../../../core/customers/store.ts';
import { plainRange } from '../../../kit/address-list.ts';
import { commandClock } from '../command-clock.ts';
import type { Secrets } from '../../../kit/crypto.ts';
import { Problem } from '../../../kit/errors.ts';
import type { Db } from '../../../kit/sql.ts';
import { openSecrets } from '../../start/secrets.ts';
import { findTeamRules } from '../../../tenants/teams/store.ts';
import { withDatabases, withPool } from '../databases.ts';
import { demoTeamId } from '../demo-team.ts';
import { Failure } from '../failure.ts';
import { operator } from '../operator.ts';
import { details, firstOf, print, shortMoment, table } from '../output.ts';
import { noSuchTeam } from '../unknown.ts';

interface Output {
  team?: bigint;
  json?: true;
}

interface Named {
  phone?: string;
  account?: string;
  email?: string;
  customer?: string;
  address?: string;
}

/** How blocks name a payer. A new block has the first value, an older one may have another. */
interface Stored {
  kind: BlockRow['kind'];
  values: readonly [string, ...string[]];
}

interface Place {
  team_id: bigint;
  /** Whether fraud screening is enabled for the team. */
  on: boolean;
  secrets: Secrets;
  live: Db;
}

/** Runs `pirogue blocks add`. */
export async function addCommand(options: Output & Named & { note?: string; expires?: Date }, command: Command): Promise<void> {
  if (namesOf(options).length !== 1)
    command.error('error: give exactly one of --phone, --account, --email, --customer, --address');
  const { note = null, expires: expires_at = null, customer } = options;
  const { block, on } = await inLive(options, async ({ team_id, on, secrets, live }) => {
    if (customer !== undefined && !(await findCustomer(live, { team_id, id: customer }))) throw noSuchCustomer(customer, team_id);
    const { kind, values } = storedAs(secrets, team_id, options);
    const wanted = { team_id, kind, value: values[0], note, expires_at };
    return { block: await addBlock(live, wanted, operator(), commandClock.now()), on };
  });
  print(options.json, { ...presented(block), in_force: on }, () =>
    [
      details({
        block: block.id,
        kind: block.kind,
        ...(note === null ? {} : { note }),
        until: shortMoment(expires_at) || 'removed',
      }),
      ...(on ? [] : ['The fraud rules of this team are off, so blocks do not apply: "pirogue abuse on" turns them on.']),
    ].join('\n'),
  );
}

/** Runs `pirogue blocks list`. */
export async function listCommand(options: Output & Named & { limit: number }, command: Command): Promise<void> {
  const names = namesOf(options);
  if (names.length > 1) command.error('error: give at most one of --phone, --account, --email, --customer, --address');
  const rows = await inLive(options, ({ team_id, secrets, live }) =>
    blocksOf(live, team_id, names.length === 0 ? null : storedAs(secrets, team_id, options), options.limit + 1),
  );
  const shown = firstOf(rows, options.limit);
  print(options.json, shown.map(presented), () =>
    table(
      ['ID', 'KIND', 'WHO', 'NOTE', 'ADDED', 'UNTIL'],
      shown.map((row) => [
        ...[row.id, row.kind, readable(row) ?? '(hash)', row.note ?? ''],
        ...[shortMoment(row.created_at), shortMoment(row.expires_at)],
      ]),
    ),
  );
}

/** Runs `pirogue blocks remove`. */
export async function removeCommand(id: string, options: Output): Promise<void> {
  const block = await inLive(options, ({ team_id, live }) => removeBlock(live, team_id, id, operator(), commandClock.now()));
  if (!block)
    throw new Failure(`the team has no block ${id}`, '"pirogue blocks list" shows the blocks; select the team with --team.');
  print(options.json, presented(block), () => `${id} is removed`);
}

function namesOf({ phone, account, email, customer, address }: Named): string[] {
  return [phone, account, email, customer, address].filter((value) => value !== undefined);
}

function storedAs(secrets: Secrets, team_id: bigint, { phone, account, email, customer, address }: Named): Stored {
  const payer = phone ?? account;
  if (payer !== undefined) return { kind: 'payer', values: payerHashes(secrets, team_id, payer) };
  if (email !== undefined) return { kind: 'email', values: [emailHash(secrets, team_id, email)] };
  if (customer !== undefined) return { kind: 'customer', values: [customer] };
  return { kind: 'address', values: [plainRange(address ?? '')] };
}

function noSuchCustomer(id: string, team_id: bigint): Failure {
  return new Failure(
    `team ${team_id} has no customer ${id}`,
    '"pirogue customers list --environment live" shows them; select the team with --team.',
  );
}

/** Returns the value to display; null for a hash. */
function readable({ kind, value }: BlockRow): string | null {
  return kind === 'customer' || kind === 'address' ? value : null;
}

function presented(row: BlockRow) {
  const { id, kind, note, created_at, expires_at } = row;
  return { id, team_id: String(row.team_id), kind, value: readable(row), note, created_at, expires_at };
}

async function inLive<T>(options: Output, work: (place: Place) => Promise<T>): Promise<T> {
  const config: Config = readConfig(process.env);
  const team_id = options.team ?? demoTeamId(config);
  try {
    return await withDatabases(config, (urls) =>
      withPool(urls.control, async (control) => {
        const on = await findTeamRules(control, team_id);
        if (on === undefined) throw noSuchTeam(team_id);
        const secrets = await openSecrets(config, control, new Date(commandClock.now()));
        return withPool(urls.live, (live) => work({ team_id, on, secrets, live }));
      }),
    );
  } catch (error) {
    if (error instanceof Problem) throw new Failure(error.message, '"pirogue blocks list" shows them.', { cause: error });
    throw error;
  }
}
