/** Markup that is safe to send: every character in it was written by us or escaped. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

/** What may stand in a hole of {@link html}; null, undefined and false leave nothing behind. */
export type HtmlPart = Html | string | number | null | undefined | false | readonly HtmlPart[];

/**
 * The tag that writes HTML: holes are escaped, for text and for attributes in double quotes alike; nested markup and
 * lists of it are woven in as they are.
 */
export function html(strings: TemplateStringsArray, ...parts: HtmlPart[]): Html {
  return new Html(strings.reduce((text, next, i) => text + written(parts[i - 1]) + next));
}

/** Text that is markup already: our own style, script and icons. Never anything that came from outside. */
export function raw(text: string): Html {
  return new Html(text);
}

function written(part: HtmlPart): string {
  if (part === null || part === undefined || part === false) return '';
  if (part instanceof Html) return part.text;
  if (Array.isArray(part)) return part.map(written).join('');
  return escaped(String(part));
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] as string);
}
