import { type Html, html } from '../../../kit/html.ts';
import type { Document, Operation } from '../types.ts';
import { SCRIPT, STYLE } from './assets.ts';
import { codeBlock, jsonCode } from './code.ts';
import { Fields, hasSection } from './fields.ts';
import { anchorOf, headingsOf, inline, markdown } from './markdown.ts';
import { Operations } from './operation.ts';
import { VERIFYING } from './verifying.ts';

/** Only the tag is described: these are the same operations under another name. */
const ALIASES = new Set(['Subaccounts']);

const ICON =
  "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 9 9'><rect width='9' height='9' rx='2' fill='%230b4a5e'/></svg>";

interface Entry {
  method: string;
  template: string;
  operation: Operation;
}

/**
 * Renders the complete documentation page. It works without JavaScript, which adds search, languages and trying out.
 * @param key public sandbox key with which calls are tried unless the reader types another
 */
export function documentationPage(document: Document, key?: string): string {
  const { info, tags } = document;
  const fields = new Fields(document);
  const groups = tags.map((tag) => ({ ...tag, entries: ALIASES.has(tag.name) ? [] : entriesOf(document, tag.name) }));
  return html`<!doctype html>
<html lang="en" data-lang="curl">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${info.title} API</title>
${
  key &&
  html`<meta name="sandbox-key" content="${key}">
`
}<link rel="icon" href="${ICON}">
<style>${STYLE}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
${header(document)}
<div class="frame">
${navigation(document, groups, sectionsOf(document))}
<main id="content">
${introduction(document)}
${groups.map(({ name, description, entries }) => group(document, fields, name, description, entries))}
${events(document)}
${objects(document, fields)}
<p class="nothing" hidden>Nothing here has these words.</p>
</main>
</div>
<script>${SCRIPT}</script>
</body>
</html>
`.text;
}

function header({ info }: Document): Html {
  return html`<header class="bar">
<a class="brand" href="#content"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="M2 12c6 3 14 3 20 0-2 5-6 7-10 7s-8-2-10-7Z"/><path d="M12 12V3l6 6"/></svg>${info.title} <small>API ${info.version}</small></a>
<div class="tools"><label class="hidden" for="search">Search</label><input id="search" type="search" placeholder="Search" autocomplete="off" spellcheck="false"><kbd>/</kbd>
<div class="languages" role="group" aria-label="Language of the samples"><button data-language="curl" aria-pressed="true">curl</button><button data-language="js" aria-pressed="false">JavaScript</button></div></div>
</header>`;
}

function navigation({ info }: Document, groups: { name: string; entries: Entry[] }[], sections: string[]): Html {
  return html`<nav aria-label="Contents"><details class="contents"><summary>Contents</summary>
<h2>About</h2><ul>${headingsOf(info.description).map((heading) => link(anchorOf(heading), heading))}</ul>
${groups.map(
  ({ name, entries }) =>
    html`<h2><a href="#tag-${name}">${name}</a></h2>${
      entries.length > 0 &&
      html`<ul>${entries.map(({ method, operation }) => link(operation.operationId, operation.summary, method))}</ul>`
    }`,
)}
<h2><a href="#event-types">Event types</a></h2>
<h2>Objects</h2><ul>${sections.map((name) => link(`object-${name}`, name))}</ul>
</details></nav>`;
}

function link(anchor: string, text: string, method?: string): Html {
  return html`<li><a href="#${anchor}">${method && html`<b class="verb ${method}">${method === 'delete' ? 'DEL' : method.toUpperCase()}</b> `}${text}</a></li>`;
}

function introduction({ info, servers }: Document): Html {
  const first = { amount: 25_000, currency: 'XAF', phone: '+237650000000', reference: 'order-1042' };
  const address = servers[0]?.url;
  const sample = `curl ${address}/payments \\\n  -H "Authorization: $KEY" \\\n  -H "Idempotency-Key: order-1042-first-try" \\\n  -d '${JSON.stringify(first, null, 2).replaceAll('\n', '\n  ')}'`;
  return html`<section class="pair intro"><div class="words"><h1>${info.title} API</h1>${markdown(info.description)}</div>
<div class="code">${codeBlock('Address', html`${address}`)}${codeBlock('A payment', html`${sample}`)}
<p class="note">The same as a file for your tools: <a href="openapi.json">openapi.json</a> (OpenAPI 3.1).</p></div></section>`;
}

function entriesOf({ paths }: Document, tag: string): Entry[] {
  return Object.entries(paths).flatMap(([template, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation.tags.includes(tag))
      .map(([method, operation]) => ({ method, template, operation })),
  );
}

function group(document: Document, fields: Fields, name: string, description: string, entries: Entry[]): Html {
  const sections = new Operations(document, fields);
  return html`<div class="group"><h2 id="tag-${name}">${name}</h2><p class="lead">${inline(description)}</p>
${entries.map(({ method, template, operation }) => sections.section(method, template, operation))}</div>`;
}

function events({ webhooks, components }: Document): Html {
  return html`<div class="group"><h2 id="event-types">Event types</h2>
<section class="pair"><div class="words"><p>What is POSTed to your endpoints. <code>data</code> is what GET of the resource returns under its key. Answer with any 2xx within 10 seconds; anything else is tried again after 30 s, 1 min, 5 min, 10 min and 1 h. The same event can come twice: deduplicate on its <code>id</code>.</p>
<div class="wide"><table><thead><tr><th>Type</th><th>When</th></tr></thead><tbody>${Object.entries(webhooks).map(
    ([type, { post }]) => html`<tr><td><code>${type}</code></td><td>${inline(post.description)}</td></tr>`,
  )}</tbody></table></div></div>
<div class="code">${codeBlock('Checking a signature', html`${VERIFYING}`)}${codeBlock('A delivery', jsonCode(components.schemas.Event?.examples?.[0]))}</div></section></div>`;
}

function sectionsOf({ components }: Document): string[] {
  return Object.entries(components.schemas)
    .filter(([name, schema]) => hasSection(name, schema))
    .map(([name]) => name);
}

function objects(document: Document, fields: Fields): Html {
  return html`<div class="group"><h2 id="objects">Objects</h2>${sectionsOf(document).map((name) => {
    const schema = document.components.schemas[name] ?? {};
    const kinds = (schema.oneOf ?? []).filter(({ properties }) => properties);
    return html`<section class="pair" id="object-${name}"><div class="words"><h3><a href="#object-${name}">${name}</a></h3>
${schema.description && html`<p>${inline(schema.description)}</p>`}${fields.received(schema)}${kinds.map(
  (kind) => html`<h4><code>${String(kind.properties?.kind?.const)}</code></h4>${fields.received(kind, ['kind'])}`,
)}</div>
<div class="code">${schema.examples && codeBlock(name, jsonCode(schema.examples[0]))}</div></section>`;
  })}</div>`;
}
