import { type Html, html, raw } from '../../../kit/html.ts';

/**
 * Renders the Markdown subset of our descriptions: paragraphs, `## headings`, `- lists`, tables, `code`, **bold** and links.
 * Everything is escaped first.
 */
export function markdown(text: string): Html {
  return html`${text
    .trim()
    .split(/\n{2,}/)
    .map(block)}`;
}

function block(text: string): Html {
  const lines = text.split('\n');
  const heading = /^## (.+)$/.exec(text);
  if (heading) return html`<h2 id="${anchorOf(heading[1] as string)}">${inline(heading[1] as string)}</h2>`;
  if (lines.every((line) => line.startsWith('- ')))
    return html`<ul>${lines.map((line) => html`<li>${inline(line.slice(2))}</li>`)}</ul>`;
  if (lines.every((line) => line.startsWith('|'))) return table(lines);
  return html`<p>${inline(lines.join(' '))}</p>`;
}

function table([head = '', , ...rows]: string[]): Html {
  const cells = (line: string) => line.split('|').slice(1, -1);
  return html`<div class="wide"><table><thead><tr>${cells(head).map((cell) => html`<th>${inline(cell.trim())}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${cells(row).map((cell) => html`<td>${inline(cell.trim())}</td>`)}</tr>`)}</tbody></table></div>`;
}

/** Renders the inline markup of one line. */
export function inline(text: string): Html {
  const marked = html`${text}`.text
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replace(/\*\*([^*]+)\*\*/g, '<b>$1</b>')
    .replace(/\[([^\]]+)\]\(((?:#|https?:\/\/)[^)\s]*)\)/g, '<a href="$2">$1</a>');
  return raw(marked);
}

/** Returns the headings of a text, in order. */
export function headingsOf(text: string): string[] {
  return [...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading as string);
}

/** Returns the anchor of a heading. */
export function anchorOf(heading: string): string {
  return `about-${heading.toLowerCase().replace(/\W+/g, '-')}`;
}
