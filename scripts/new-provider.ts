// npm run new-provider -- <name>: the start of an adapter, of its simulator and of the test that both have to pass.
import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';

const TEMPLATES = path.join(import.meta.dirname, 'templates', 'provider');

const FORM = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;
const MAX = 30;
/** The name becomes the name of a constant too. */
const RESERVED = new Set(
  `await break case catch class const continue debugger default delete do else enum eval export extends false finally for
  function if implements import in instanceof interface let new null package private protected public return static super
  switch this throw true try typeof var void while with yield arguments undefined`.split(/\s+/),
);
/** Where names are taken: a file or folder there stands for its part before the first dot. */
const SHELVES = ['src/providers/adapters', 'simulators', 'test/adapters'];

/** What can be put right at the keyboard. */
class Refusal extends Error {}

process.exitCode = main(process.argv.slice(2));

function main(args: string[]): number {
  try {
    const { values, positionals } = parseArgs({ args, allowPositionals: true, options: { into: { type: 'string' } } });
    const [name, ...more] = positionals;
    if (name === undefined || more.length > 0) throw new Refusal('usage: npm run new-provider -- <name>');
    const root = values.into ?? path.dirname(import.meta.dirname);
    checkName(name, root);
    console.log(advice(name, write(name, root)));
    return 0;
  } catch (error) {
    if (!(error instanceof Refusal) && !isUsage(error)) throw error;
    console.error(`new-provider: ${error.message}`);
    return 1;
  }
}

/** An option parseArgs does not know. */
function isUsage(error: unknown): error is Error {
  return error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
}

function checkName(name: string, root: string): void {
  if (!FORM.test(name) || name.length > MAX) {
    throw new Refusal(`"${name}" is no name: at most ${MAX} small letters and digits, words joined by "-", a letter first`);
  }
  if (RESERVED.has(name)) throw new Refusal(`"${name}" is a word of the language`);
  for (const shelf of SHELVES) {
    const folder = path.join(root, shelf);
    if (!fs.existsSync(folder)) throw new Refusal(`${folder} is not there: is this the project?`);
    const taken = fs.readdirSync(folder).find((entry) => entry.split('.')[0] === name);
    if (taken) throw new Refusal(`"${name}" is taken: ${shelf}/${taken}`);
  }
}

/** @returns the files, from the root */
function write(name: string, root: string): string[] {
  const words = name.split('-');
  const fillings = {
    __name__: name,
    __identifier__: words.map((word, at) => (at === 0 ? word : capital(word))).join(''),
    __title__: words.map(capital).join(' '),
  };
  const files = {
    'connector.ts.txt': `src/providers/adapters/${name}/index.ts`,
    'simulator.ts.txt': `simulators/${name}/index.ts`,
    'test.ts.txt': `test/adapters/${name}.test.ts`,
  };
  for (const [template, file] of Object.entries(files)) {
    const text = fs.readFileSync(path.join(TEMPLATES, template), 'utf8');
    const filled = Object.entries(fillings).reduce((filling, [mark, value]) => filling.replaceAll(mark, value), text);
    const target = path.join(root, file);
    fs.mkdirSync(path.dirname(target), { recursive: true });
    fs.writeFileSync(target, filled, { flag: 'wx' });
  }
  return Object.values(files);
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function advice(name: string, [connector, simulator, test]: string[]): string {
  return `Made ${connector}, ${simulator} and ${test}. Next:

  1. ${simulator}: the provider's wire as its documentation tells it, its magic numbers, its tokens, its callbacks.
     Things are taken in by kit.desk.take; the book then knows what moved.
  2. ${connector}: the same wire from our side. A timeout after sending is "unknown", never a decline; "unavailable"
     promises that nothing was created; the provider's words stay in one file, a map from them to our reasons.
     Delete every method and capability the provider lacks; src/providers/adapters/wire has the tools adapters share.
  3. ${test}: its channels and currencies, how its numbers end, what its callbacks prove. Red until 1 and 2 are written:
     npm test -- ${test}
  4. Add the connector to src/providers/adapters/catalogue.ts and the simulator to simulators/catalogue.ts: from then on
     "pirogue providers add" and "npm run twins" know ${name}.

The contract is src/providers/adapters/contract.ts; docs/providers.md tells how an adapter is made; src/providers/adapters/mtn-momo is one to copy from.`;
}
