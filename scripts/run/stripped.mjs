// Loads TypeScript whose types an earlier start has removed. Node's own cache (NODE_COMPILE_CACHE) is as fast, but Node keeps everything
// that it read from it in memory: 16 MB for a service.
//
// Written in plain JavaScript, so that the compiler that removes types is not loaded: it takes 20 MB.
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
  // For each import, Node would check that the file exists, resolve links in its path and search for a package.json, which takes a sixth
  // of the CPU time of a start. None of it is needed: sources name the file exactly, and Node has resolved links in the path of the entry.
  resolve(specifier, context, next) {
    if (!specifier.startsWith('.') || !specifier.endsWith('.ts') || !context.parentURL) return next(specifier, context);
    return { url: new URL(specifier, context.parentURL).href, format: 'module', shortCircuit: true };
  },
  load(url, context, next) {
    if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context);
    const file = fileURLToPath(url);
    if (file.includes(packages)) return next(url, context); // Node does not remove types there
    return { format: 'module', source: withoutTypes(fs.readFileSync(file)), shortCircuit: true };
  },
});

/** Returns the source without types. The cache is keyed by content, Node's version and the version of this file, so it cannot be stale. */
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
 * Replaces characters beyond Latin-1 in texts and comments by escapes. With a single such character, V8 stores two bytes for each
 * character of the file, for as long as the process runs. In stacks, columns after an escape are wrong, lines are right. Where an escape
 * would have another meaning, the file is not changed.
 */
function inLatin1(code, source) {
  // The removal of types leaves this space where a type had such a character.
  const blank = '\u2002';
  if (source.includes(blank) || /\\[^\0-\xff]|String\.raw/.test(source)) return code;
  return code.replaceAll(blank, ' ').replace(/[^\0-\xff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Returns the cached code; null unless the file is complete, because a power failure may have left a part of it. */
function read(place) {
  try {
    const bytes = fs.readFileSync(place);
    const code = bytes.subarray(DIGEST_LENGTH);
    return digest(code) === bytes.toString('latin1', 0, DIGEST_LENGTH) ? code.toString() : null;
  } catch {
    return null;
  }
}

/** Stores the code. Another process may store the same file. Without a writable folder, each start removes the types again. */
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
