import fs from 'node:fs';
import { text } from 'node:stream/consumers';
import type { Environment } from '../../../kit/environment.ts';
import { send } from '../../../kit/fetch.ts';
import { createLog } from '../../../kit/log.ts';
import type { Connector, Tools } from '../../../providers/adapters/connector.ts';
import { faultsOf } from '../../../providers/provider-accounts/service.ts';
import { commandClock } from '../command-clock.ts';
import { Failure, UsageFailure } from '../failure.ts';

/** What a command connects to a provider with. */
export const TOOLS: Tools = { send, clock: commandClock, log: createLog({ level: 'silent', format: 'json' }) };

/** The options in which a command is given the credentials of an account. */
export interface GivenCredentials {
  /** A file with a JSON object; `-` is standard input. */
  credentials?: string;
  /** Pairs `name=value`. */
  set?: string[];
  /** Pairs `name=VARIABLE`. */
  setEnv?: string[];
}

/**
 * Reads the credentials that the options give.
 * @throws Failure, without the credentials' values
 */
export async function readCredentials({ credentials, set = [], setEnv = [] }: GivenCredentials): Promise<Record<string, string>> {
  return { ...(await readObject(credentials)), ...readPairs(set), ...fromEnvironment(readPairs(setEnv)) };
}

/**
 * Validates the credentials for an account in the environment, without a request to the provider.
 * @throws Failure
 */
export async function checkCredentials(
  connector: Connector,
  environment: Environment,
  credentials: Record<string, string>,
): Promise<void> {
  const faults = await faultsOf(connector, environment, credentials);
  if (faults.length > 0) throw new Failure(`invalid credentials: ${faults.join('; ')}`, askedFor(connector));
  tryOut(connector, environment, credentials);
}

/**
 * Connects with the credentials, so that a key with a valid format that cannot be used is reported now, not by the first payment.
 * @throws Failure
 */
function tryOut(connector: Connector, environment: Environment, credentials: Record<string, string>): void {
  try {
    connector.connect({ id: 'pa_tried_out', environment, credentials }, TOOLS);
  } catch {
    throw new Failure('the credentials have the right form but cannot be used', `A key may be damaged. ${askedFor(connector)}`);
  }
}

async function readObject(file: string | undefined): Promise<Record<string, string>> {
  if (file === undefined) return {};
  const content = file === '-' ? await text(process.stdin) : readFile(file);
  return texts(parse(content));
}

function readFile(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    throw new Failure(`${file} cannot be read`, 'Give a file that holds a JSON object, or - for standard input.');
  }
}

function parse(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    // The parser's message would quote the credentials.
    throw new Failure('the credentials are not JSON', 'They are an object such as {"api_token": "…"}.');
  }
}

function texts(value: unknown): Record<string, string> {
  const entries = value !== null && typeof value === 'object' && !Array.isArray(value) ? Object.entries(value) : null;
  if (!entries?.every((entry): entry is [string, string] => typeof entry[1] === 'string')) {
    throw new Failure('the credentials are not an object of strings', 'They are an object such as {"api_token": "…"}.');
  }
  return Object.fromEntries(entries);
}

function readPairs(pairs: string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      if (at < 1)
        throw new UsageFailure(
          'a credential given with --set or --set-env has the form name=value',
          'For example --set api_token=….',
        );
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}

/**
 * Reads credentials from the environment.
 * @param variables maps the name of a credential to the name of its variable
 * @throws Failure when a variable is not set
 */
function fromEnvironment(variables: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(variables).map(([name, variable]) => {
      const value = process.env[variable];
      if (!value)
        throw new Failure(`${variable} is not set`, `--set-env ${name}=${variable} reads the credential from this variable.`);
      return [name, value];
    }),
  );
}

function askedFor(connector: Connector): string {
  return `${connector.title} needs ${Object.keys(connector.credentials.properties).join(', ')}: "pirogue providers kinds" describes them.`;
}
