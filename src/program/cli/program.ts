import { styleText } from 'node:util';
import { Command, Option, type OutputConfiguration } from 'commander';
import { ownVersion } from '../start/version.ts';
import { addAbuse } from './abuse/command.ts';
import { addApprovals } from './approvals/command.ts';
import { addArchive } from './archive/command.ts';
import { addAudit } from './audit/command.ts';
import { addBackup } from './backup/command.ts';
import { addBalance } from './balance/command.ts';
import { addBlocks } from './blocks/command.ts';
import { addCompletion } from './completion/command.ts';
import { addCompliance } from './compliance/command.ts';
import { addCustomers } from './customers/command.ts';
import { addEvents } from './events/command.ts';
import { addExplain } from './explain/command.ts';
import { onOneLine } from './failure.ts';
import { addFloat } from './float/command.ts';
import { addKeys } from './keys/command.ts';
import { addLedger } from './ledger/command.ts';
import { addListen } from './listen/command.ts';
import { addPartition } from './partition/command.ts';
import { addPayments } from './payments/command.ts';
import { addProviders } from './providers/command.ts';
import { addBreaks, addReconcile } from './reconcile/command.ts';
import { addRefunds } from './refunds/command.ts';
import { addResolve } from './resolve/command.ts';
import { addDisputes } from './disputes/command.ts';
import { addReturns } from './returns/command.ts';
import { addRules } from './rules/command.ts';
import { addSandbox } from './sandbox/command.ts';
import { addSecrets } from './secrets/command.ts';
import { addTeams } from './teams/command.ts';
import { addTransfers } from './transfers/command.ts';
import { addTrigger } from './trigger/command.ts';
import { addUsers } from './users/command.ts';

/**
 * Builds the tree of commands. The code of a command is imported when it runs, so that `--help` and errors of the command
 * line do not load a database driver.
 * @param output receives help and errors instead of the terminal
 */
export function buildProgram(output: Pick<OutputConfiguration, 'writeOut' | 'writeErr'> = {}): Command {
  const program = new Command('pirogue')
    .description('Runs and administers Pirogue. Settings come from the environment, as for npm start.')
    .exitOverride()
    .configureOutput(output)
    .configureHelp({ styleTitle: (title) => styleText('bold', title, { validateStream: false }) })
    .version(ownVersion(), '-V, --version', 'print the version');
  addStart(program);
  addMigrate(program);
  addTeams(program);
  addKeys(program);
  addUsers(program);
  addApprovals(program);
  addPayments(program);
  addRefunds(program);
  addTransfers(program);
  addBalance(program);
  addCustomers(program);
  addProviders(program);
  addFloat(program);
  addRules(program);
  addExplain(program);
  addResolve(program);
  addDisputes(program);
  addReturns(program);
  addCompliance(program);
  addAbuse(program);
  addBlocks(program);
  addLedger(program);
  addReconcile(program);
  addBreaks(program);
  addAudit(program);
  addListen(program);
  addTrigger(program);
  addEvents(program);
  addSandbox(program);
  addSecrets(program);
  addBackup(program);
  addArchive(program);
  addPartition(program);
  addDoctor(program);
  addCompletion(program);
  pointToHelp(program, 'pirogue');
  return program;
}

function addStart(program: Command): void {
  program
    .command('start')
    .description('run the service until a signal (as npm start does)')
    .addOption(new Option('--role <role>', 'role of this process').choices(['all', 'api', 'worker']).default('all'))
    .option('--json', 'write the log as JSON lines')
    .action(async (options) => (await import('./start.ts')).startCommand(options));
}

function addMigrate(program: Command): void {
  program
    .command('migrate')
    .description('migrate the three databases to the schema of this version')
    .option('--json', 'print one JSON document')
    .action(async (options) => (await import('./migrate.ts')).migrateCommand(options));
}

function addDoctor(program: Command): void {
  program
    .command('doctor')
    .description('check everything the service needs, with advice; exit code 1 when a check fails')
    .option('--json', 'print one JSON document')
    .action(async (options) => (await import('./doctor/doctor.ts')).doctorCommand(options));
}

/** Makes errors of the command line one line that points to the help of the command. */
function pointToHelp(command: Command, path: string): void {
  const help = `"${path} --help" shows the options.`;
  const outputError = (text: string, write: (text: string) => void) =>
    write(`${onOneLine(text.replace(/^error: /, 'pirogue: '), help)}\n`);
  command.configureOutput({ outputError });
  for (const child of command.commands) pointToHelp(child, `${path} ${child.name()}`);
}
