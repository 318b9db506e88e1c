import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { REASON_CODES } from '../../src/providers/adapters/reasons.ts';
import { GUIDES, guideNames, ROOT } from '../guides/blocks.ts';

const read = (name: string) => fs.readFileSync(path.join(ROOT, name), 'utf8');
const below = (pattern: string) => fs.globSync(pattern, { cwd: ROOT }).sort();
const PAGES = ['*.md', 'docs/**/*.md', 'test/**/*.md', 'sdk/*.md', 'examples/**/*.md'].flatMap(below);

/** Addresses in the text of a page: links and pictures, not what stands in code. */
function linksOf(markdown: string): string[] {
  const prose = markdown.replace(/^\s*(```|~~~)[\s\S]*?^\s*\1/gm, '').replace(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target as string);
}

/** Names of the headings of a page, as GitHub makes them. */
function anchorsOf(markdown: string): string[] {
  const headings = [...markdown.replace(/^```[\s\S]*?^```/gm, '').matchAll(/^#+ (.*)$/gm)].map(
    ([, heading]) => heading as string,
  );
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

test('every link of every page leads somewhere', () => {
  const faults = PAGES.flatMap((page) =>
    linksOf(read(page))
      .filter((target) => !/^[a-z]+:/.test(target))
      .filter((target) => {
        const [file = '', anchor] = target.split('#');
        const found = file ? path.join(path.dirname(page), file) : page;
        if (!fs.existsSync(path.join(ROOT, found))) return true;
        return anchor !== undefined && !anchorsOf(read(found)).includes(anchor);
      })
      .map((target) => `${page}: ${target}`),
  );
  assert.deepEqual(faults, []);
});

test('docs/README.md links every page, and docs/guides/README.md every guide', () => {
  const index = linksOf(read('docs/README.md'));
  assert.deepEqual(
    fs
      .readdirSync(path.join(ROOT, 'docs'))
      .filter((name) => name.endsWith('.md') && name !== 'README.md' && !index.includes(name)),
    [],
  );
  const guides = linksOf(read('docs/guides/README.md'));
  assert.deepEqual(
    guideNames().filter((name) => !guides.includes(name) || !index.includes(`guides/${name}`)),
    [],
  );
});

test('the guide about errors lists every error_code', () => {
  const guide = fs.readFileSync(path.join(GUIDES, 'errors.md'), 'utf8');
  const sources = below('src/**/*.ts').map(read).join('\n');
  const thrown = [...sources.matchAll(/error_code: '(\w+)'|invalid\([^;]*?, '(\w+)',?\s*\)/g)].map(
    ([, named, given]) => named ?? given ?? '',
  );
  const codes = [...new Set([...thrown, ...REASON_CODES])].sort();
  assert.ok(codes.includes('idempotency_key_reused') && codes.includes('ceiling_exceeded') && codes.length > 25, codes.join(' '));
  assert.deepEqual(
    codes.filter((code) => !guide.includes(`\`${code}\``)),
    [],
  );
});
