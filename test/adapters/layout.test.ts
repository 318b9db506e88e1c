import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { suite, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { createLog } from '../../src/kit/log.ts';
import { CONNECTORS } from '../../src/providers/adapters/catalogue.ts';
import type { Connector, Tools } from '../../src/providers/adapters/connector.ts';
import type { Provider } from '../../src/providers/adapters/contract.ts';
import { sandboxProvider } from '../../src/providers/adapters/sandbox/index.ts';
import { SIMULATORS } from '../../simulators/catalogue.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');
const ADAPTERS = path.join(ROOT, 'src/providers/adapters');
const SIMULATED = path.join(ROOT, 'simulators');

/** The files every adapter has: what every {@link Provider} must do. docs/providers.md describes each. */
const ALWAYS = ['index', 'client', 'channels', 'collect', 'codes'];

/** The file of each capability: it exists exactly where the provider has the capability. */
const CAPABILITIES: Record<string, (provider: Provider, connector: Connector | null) => boolean> = {
  payout: ({ payouts }) => payouts !== undefined,
  refund: ({ refunds }) => refunds !== undefined,
  callback: ({ verifyCallback }) => verifyCallback !== undefined,
  balance: ({ balance }) => balance !== undefined,
  lookup: ({ lookup }) => lookup !== undefined,
  statement: (_, connector) => connector?.statement !== undefined,
};

/** Files beyond these, by adapter, each with the reason why it is none of the jobs above. */
const EXTRAS: Record<string, Record<string, string>> = {
  'mtn-momo': { orders: 'a request to pay, a transfer and a refund are created and read by one and the same API' },
  pawapay: {
    account: 'every account has a configuration of its own, which is read in the background and limits every operation',
    signature: 'RFC 9421 signs requests and callbacks alike',
    keys: 'the public keys of callbacks are fetched and cached',
  },
  wave: { signature: 'one format signs requests and webhooks alike' },
};

/** Files of {@link ALWAYS} that an adapter does without. */
const WITHOUT: Record<string, Record<string, string>> = {
  sandbox: { client: 'it makes no calls', channels: 'it offers every channel' },
};

/** Files of simulators beyond those of adapters. */
const SIMULATOR_EXTRAS: Record<string, Record<string, string>> = {
  flutterwave: { page: 'the pages and accounts of payments that are not prompts' },
  'mtn-momo': { access: 'API users, keys and tokens', orders: 'one API creates and shows all operations' },
  'orange-money': { access: 'the OAuth tokens of both APIs' },
  pawapay: {
    checks: 'validation that deposits, payouts and refunds share',
    operations: 'deposits, payouts and refunds, which have one life cycle',
    present: 'an operation in the format of responses and callbacks alike',
    reference: 'configuration, number look-up and balances',
    signature: 'RFC 9421 signs requests and callbacks alike',
  },
};

interface Adapter {
  /** Path below the folder of adapters: `pawapay`, `orange-money/cameroon`. */
  name: string;
  /** Names of its files without `.ts`. */
  files: string[];
  /** Those and, for a second connector of the same provider, the files of the first, which it shares. */
  reachable: string[];
}

function foldersBelow(root: string): string[] {
  const entries = fs.readdirSync(root, { recursive: true, withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory());
  return folders.map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/')).sort();
}

function filesIn(root: string, folder: string): string[] {
  const entries = fs.readdirSync(path.join(root, folder), { withFileTypes: true });
  return entries.flatMap((entry) => (entry.isFile() ? [entry.name.replace(/\.ts$/, '')] : [])).sort();
}

const adapters: Adapter[] = foldersBelow(ADAPTERS)
  .filter((folder) => folder !== 'wire')
  .map((name) => {
    const files = filesIn(ADAPTERS, name);
    const parent = path.posix.dirname(name);
    return { name, files, reachable: parent === '.' ? files : [...files, ...filesIn(ADAPTERS, parent)] };
  });

const tools: Tools = {
  send: async () => ({ kind: 'failed', error: 'refused', sent: false, detail: '', duration_ms: 0 }),
  clock: { now: () => 0 },
  log: createLog({ level: 'silent', format: 'json' }),
};

/** Returns the provider of an adapter, with every optional product of an account, and its connector. */
async function providerOf({ name }: Adapter): Promise<{ provider: Provider; connector: Connector | null }> {
  if (name === 'sandbox') return { provider: sandboxProvider({ clock: tools.clock, delay_ms: 0 }), connector: null };
  const exported: Record<string, Connector> = await import(pathToFileURL(path.join(ADAPTERS, name, 'index.ts')).href);
  const [connector = assert.fail('exports no connector'), ...more] = Object.values(exported);
  assert.deepEqual(more, [], 'index exports one connector');
  const simulator = SIMULATORS.find((one) => one.name === connector.name) ?? assert.fail(`${connector.name} has no simulator`);
  const credentials = simulator.credentials('http://127.0.0.1:9');
  return { provider: connector.connect({ id: 'pa_test', environment: 'sandbox', credentials }, tools), connector };
}

suite('files of adapters', () => {
  for (const adapter of adapters) {
    test(`${adapter.name} has one file for each responsibility, with the same names as every adapter`, async () => {
      const { provider, connector } = await providerOf(adapter);
      const has = Object.keys(CAPABILITIES).filter((file) => CAPABILITIES[file]?.(provider, connector));
      const due = ALWAYS.filter((file) => !WITHOUT[adapter.name]?.[file]);
      for (const file of [...due, ...has]) assert.ok(adapter.reachable.includes(file), `${file}.ts is missing`);
      const allowed = [...due, ...has, ...Object.keys(EXTRAS[adapter.name] ?? {})];
      assert.deepEqual(
        adapter.files.filter((file) => !allowed.includes(file)),
        [],
        'no job or capability of the provider: rename the file, or give the reason in EXTRAS',
      );
      for (const file of ['index', 'codes']) assert.ok(adapter.files.includes(file), `${file}.ts is its own`);
    });
  }

  test('every exception names a file that exists, or one that is absent', () => {
    for (const [name, files] of Object.entries(EXTRAS)) {
      for (const file of Object.keys(files)) assert.ok(filesIn(ADAPTERS, name).includes(file), `${name}/${file}.ts`);
    }
    for (const [name, files] of Object.entries(WITHOUT)) {
      for (const file of Object.keys(files)) assert.ok(!filesIn(ADAPTERS, name).includes(file), `${name}/${file}.ts`);
    }
  });
});

suite('registration', () => {
  test('every adapter is in the catalogue of connectors, every simulator in the catalogue of simulators', async () => {
    const connectors = await Promise.all(adapters.map(async (adapter) => (await providerOf(adapter)).connector));
    const names = connectors.flatMap((connector) => (connector ? [connector.name] : [])).sort();
    assert.deepEqual(CONNECTORS.map(({ name }) => name).sort(), names);
    assert.deepEqual(SIMULATORS.map(({ name }) => name).sort(), names);
  });

  const suites = fs
    .globSync('*.test.ts', { cwd: import.meta.dirname })
    .map((file) => fs.readFileSync(path.join(import.meta.dirname, file), 'utf8'))
    .filter((text) => text.includes('runConformance('));
  const page = fs.readFileSync(path.join(ROOT, 'docs', 'providers.md'), 'utf8');

  for (const adapter of adapters) {
    test(`${adapter.name} runs the conformance suite, and a connector has a row in docs/providers.md`, async () => {
      assert.ok(suites.some((text) => text.includes(`/src/providers/adapters/${adapter.name}/index.ts'`)));
      const { connector } = await providerOf(adapter);
      if (connector) assert.match(page, new RegExp(`^\\|[^|]+\\| \`${connector.name}\` \\|`, 'm'));
    });
  }
});

suite('files of simulators', () => {
  const names = [...ALWAYS, ...Object.keys(CAPABILITIES)];
  for (const name of foldersBelow(SIMULATED).filter((folder) => folder !== 'kit')) {
    test(`${name} uses the file names of adapters`, () => {
      const files = filesIn(SIMULATED, name);
      const extras = Object.keys(SIMULATOR_EXTRAS[name] ?? {});
      assert.ok(files.includes('index'));
      assert.deepEqual(
        files.filter((file) => !names.includes(file) && !extras.includes(file)),
        [],
      );
      assert.deepEqual(
        extras.filter((file) => !files.includes(file)),
        [],
      );
    });
  }
});
