// Loads TypeScript whose types an earlier start has removed. Node's own cache (NODE_COMPILE_CACHE) is as quick, but Node keeps all
// that it read from it in memory: 16 MB of a service.
//
// Plain JavaScript: the compiler that removes types takes 20 MB once it is loaded, which this avoids.
import crypto from 'node:crypto';
import fs from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(import.meta.dirname));
const cache = process.env.STRIPPED_SOURCES || path.join(root, '.cache', 'stripped');
const packages = `${path.sep}node_modules${path.sep}`;
const DIGEST_LENGTH = 40;
const FORMAT = 2;
let stored = true;

registerHooks({
  // For each import, Node would check that the file exists, resolve links in its path and search for a package.json: a sixth of the CPU time of a
  // start. None of it is needed: sources name the file exactly, and Node has already resolved links in the path of the entry.
  resolve(specifier, context, next) {
    if (!specifier.startsWith('.') || !specifier.endsWith('.ts') || !context.parentURL) return next(specifier, context);
    return { url: new URL(specifier, context.parentURL).href, format: 'module', shortCircuit: true };
  },
  load(url, context, next) {
    if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context);
    const file = fileURLToPath(url);
    if (file.includes(packages)) return next(url, context); // which Node refuses
    return { format: 'module', source: withoutTypes(fs.readFileSync(file)), shortCircuit: true };
  },
});

/** The cache is keyed by content, by the version of Node and by that of this file, so it cannot become stale. */
function withoutTypes(source) {
  const place = path.join(cache, `${process.version}-${FORMAT}-${digest(source)}`);
  const known = read(place);
  if (known !== null) return known;
  const text = source.toString();
  const code = inLatin1(stripTypeScriptTypes(text), text);
  if (stored) store(place, Buffer.from(code));
  return code;
}

/**
 * Writes characters beyond Latin-1, of texts and comments, as escapes: with a single one V8 keeps two bytes for each character of the file, and
 * all files for as long as the process runs. Columns behind one are off in a stack, lines are not. Where an escape would mean something else,
 * the file stays as it is.
 */
function inLatin1(code, source) {
  // What removes types leaves this space where a type had such a character.
  const blank = '\u2002';
  if (source.includes(blank) || /\\[^\0-\xff]|String\.raw/.test(source)) return code;
  return code.replaceAll(blank, ' ').replace(/[^\0-\xff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Returns null unless the file is whole: a machine that lost its power may have kept half of it. */
function read(place) {
  try {
    const bytes = fs.readFileSync(place);
    const code = bytes.subarray(DIGEST_LENGTH);
    return digest(code) === bytes.toString('latin1', 0, DIGEST_LENGTH) ? code.toString() : null;
  } catch {
    return null;
  }
}

/** Another process may store the same file. Without a folder to write to, each start removes the types anew. */
function store(place, code) {
  const aside = `${place}.${process.pid}`;
  try {
    fs.mkdirSync(cache, { recursive: true, mode: 0o700 });
    fs.writeFileSync(aside, Buffer.concat([Buffer.from(digest(code)), code]), { mode: 0o600 });
    fs.renameSync(aside, place);
  } catch {
    stored = false;
  }
}

function digest(bytes) {
  return crypto.hash('sha1', bytes);
}
