import { parseArgs } from 'node:util';
import { SIMULATORS } from './catalogue.ts';
import { PROFILES, type Profile } from './kit/faults.ts';
import { startSimulator, type Simulator, type SimulatorKind } from './kit/simulator.ts';

/** `npm run simulators`: runs every provider simulator on a port of its own until Ctrl-C. */
const HELP = `Usage: npm run simulators -- [options]

Starts a simulator of every provider on this machine. Nothing leaves it.

  --connect          verify the demo team of npm start for live payments, add an account at each simulator to it,
                     and rules that order them; what is there already stays as it is
  --port-base <n>    port of the first; the others follow (default 9100)
  --seed <n>         the same seed lets the same things go wrong (default 1)
  --profile <name>   ${PROFILES.join(', ')} (default calm)
  --delay <ms>       how long a payment is under way (default 2000)`;

/** Longer than the deadline of any adapter. */
const SLOW_MS = 30_000;
const LAG_MS = 20_000;

const options = readOptions();
if (options === null) {
  console.error(HELP);
  process.exitCode = 1;
} else if (options === 'help') {
  console.log(HELP);
} else {
  await run(options);
}

interface Options {
  port: number;
  seed: number;
  delay_ms: number;
  profile: Profile;
  connect: boolean;
}

/** Returns the parsed options, or null when they are invalid. */
function readOptions(): Options | 'help' | null {
  const values = parseOptions();
  if (!values || values.help) return values && 'help';
  const [port, seed, delay_ms] = [values['port-base'], values.seed, values.delay].map(Number) as [number, number, number];
  const profile = PROFILES.find((name) => name === values.profile);
  const fits = [port, seed, delay_ms].every((value) => Number.isInteger(value) && value >= 0) && port <= 65_000;
  return fits && profile ? { port, seed, delay_ms, profile, connect: values.connect } : null;
}

function parseOptions() {
  try {
    return parseArgs({
      options: {
        connect: { type: 'boolean', default: false },
        'port-base': { type: 'string', default: '9100' },
        seed: { type: 'string', default: '1' },
        profile: { type: 'string', default: 'calm' },
        delay: { type: 'string', default: '2000' },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch {
    return null;
  }
}

async function run({ port, connect, ...weather }: Options): Promise<void> {
  const simulators: Simulator[] = [];
  for (const [at, kind] of SIMULATORS.entries()) {
    const simulator = await startSimulator(kind, {
      ...weather,
      port: port === 0 ? 0 : port + at,
      slow_ms: SLOW_MS,
      lag_ms: LAG_MS,
    }).catch(() => null);
    if (!simulator) {
      console.error(`Port ${port + at} is taken: choose another --port-base.`);
      process.exit(1);
    }
    simulators.push(simulator);
    console.log(connect ? `${simulator.name}  ${simulator.url}` : `${introduce(kind, simulator)}\n`);
  }
  if (connect) await connectTo(simulators);
  console.log(`Weather: ${weather.profile}, seed ${weather.seed}. Stop with Ctrl-C.`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, async () => {
      await Promise.all(simulators.map((simulator) => simulator.stop()));
      process.exit(0);
    });
  }
}

/** Connects the demo team. Only this loads code of the service, so the simulators start without it. */
async function connectTo(simulators: readonly Simulator[]): Promise<void> {
  try {
    console.log(`\n${await (await import('./connect.ts')).connect(simulators)}\n`);
  } catch (error) {
    const { failureText } = await import('../src/program/cli/failure.ts');
    console.error((await failureText(error))?.replace(/^pirogue:/, 'simulators:'));
    process.exit(1);
  }
}

function introduce(kind: SimulatorKind, { name, url, credentials }: Simulator): string {
  const pairs = Object.entries(credentials);
  return [
    `${name}  ${url}`,
    ...pairs.map(([field, value]) => `  ${field.padEnd(30)} ${value}`),
    `  add it:    npm run pirogue -- providers add ${name} --set ${pairs.map((pair) => pair.join('=')).join(' ')}`,
    ...(kind.dashboard_callbacks
      ? [`  callbacks: curl ${url}/_twin/settings -d '{"callback_url":"<the address that was printed when you added it>"}'`]
      : []),
    `  look in:   ${url}/_twin/book  ${url}/_twin/faults  ${url}/_twin/statement.csv`,
  ].join('\n');
}
