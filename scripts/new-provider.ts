// npm run new-provider -- <name>: creates the files of an adapter, its simulator and their common test.
import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';

const TEMPLATES = path.join(import.meta.dirname, 'templates', 'provider');

const FORM = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;
const MAX = 30;
/** Names that are not allowed, because the name also becomes that of a constant. */
const RESERVED = new Set(
  `await break case catch class const continue debugger default delete do else enum eval export extends false finally for
  function if implements import in instanceof interface let new null package private protected public return static super
  switch this throw true try typeof var void while with yield arguments undefined`.split(/\s+/),
);
/** Folders in which a name must be free. A file or folder there takes its part before the first dot. */
const FOLDERS = ['src/providers/adapters', 'simulators', 'test/adapters'];

/** An error that the user can correct. */
class UsageError extends Error {}

process.exitCode = main(process.argv.slice(2));

function main(args: string[]): number {
  try {
    const { values, positionals } = parseArgs({ args, allowPositionals: true, options: { into: { type: 'string' } } });
    const [name, ...more] = positionals;
    if (name === undefined || more.length > 0) throw new UsageError('usage: npm run new-provider -- <name>');
    const root = values.into ?? path.dirname(import.meta.dirname);
    checkName(name, root);
    console.log(instructions(name, write(name, root)));
    return 0;
  } catch (error) {
    if (!(error instanceof UsageError) && !isArgumentError(error)) throw error;
    console.error(`new-provider: ${error.message}`);
    return 1;
  }
}

/** Returns whether parseArgs rejected the arguments. */
function isArgumentError(error: unknown): error is Error {
  return error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
}

function checkName(name: string, root: string): void {
  if (!FORM.test(name) || name.length > MAX) {
    throw new UsageError(
      `"${name}" is not a valid name: at most ${MAX} small letters and digits, words joined by "-", a letter first`,
    );
  }
  if (RESERVED.has(name)) throw new UsageError(`"${name}" is a reserved word of the language`);
  for (const parent of FOLDERS) {
    const folder = path.join(root, parent);
    if (!fs.existsSync(folder)) throw new UsageError(`${folder} does not exist: is this the project?`);
    const taken = fs.readdirSync(folder).find((entry) => entry.split('.')[0] === name);
    if (taken) throw new UsageError(`"${name}" is taken: ${parent}/${taken}`);
  }
}

/** Returns the folder each folder of templates is written to. `test.ts.txt` is the test of the provider. */
function targetOf(template: string, name: string): string {
  const file = path.basename(template, '.txt');
  if (template.startsWith('adapter/')) return `src/providers/adapters/${name}/${file}`;
  return template.startsWith('simulator/') ? `simulators/${name}/${file}` : `test/adapters/${name}.${file}`;
}

/** Writes the files and returns their paths from the root. */
function write(name: string, root: string): string[] {
  const words = name.split('-');
  const values = {
    __name__: name,
    __identifier__: words.map((word, at) => (at === 0 ? word : capital(word))).join(''),
    __title__: words.map(capital).join(' '),
  };
  const templates = fs.globSync('**/*.txt', { cwd: TEMPLATES }).sort();
  return templates.map((template) => {
    const text = fs.readFileSync(path.join(TEMPLATES, template), 'utf8');
    const filled = Object.entries(values).reduce((filling, [mark, value]) => filling.replaceAll(mark, value), text);
    const file = targetOf(template, name);
    const target = path.join(root, file);
    fs.mkdirSync(path.dirname(target), { recursive: true });
    fs.writeFileSync(target, filled, { flag: 'wx' });
    return file;
  });
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function instructions(name: string, files: string[]): string {
  const [adapter, simulator] = [`src/providers/adapters/${name}`, `simulators/${name}/index.ts`];
  const test = `test/adapters/${name}.test.ts`;
  return `Created:
${files.map((file) => `  ${file}`).join('\n')}

Next:
  1. ${simulator}: the provider's API as its documentation describes it: test numbers, tokens, callbacks.
     Operations are created by kit.operations.create; the simulator's book then records the money that moved.
  2. ${adapter}/: one job a file. client calls the API, codes maps its codes to our reasons and statuses, collect,
     payout and refund are the operations, callback reads its webhooks, channels lists what it serves. A timeout after
     sending is "unknown", never a decline; "unavailable" promises that nothing was created. Delete the file and the
     property of every capability the provider lacks; add balance.ts, lookup.ts or statement.ts where it has one.
     "modeFault" in index keeps real money out of the sandbox: replace it where the provider has a test mode.
     src/providers/adapters/wire has what adapters share.
  3. ${test}: its channels and currencies, the outcome of its test numbers, what its callbacks prove. It fails until
     1 and 2 are written: npm test -- ${test}
  4. Add the connector to src/providers/adapters/catalogue.ts and the simulator to simulators/catalogue.ts: from then on
     "pirogue providers add" and "npm run simulators" offer ${name}.

The contract is src/providers/adapters/contract.ts; docs/providers.md describes how an adapter is made and names its files;
src/providers/adapters/mtn-momo is one to copy from.`;
}
