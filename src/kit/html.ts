/** Markup that is safe to send: every character is either from the source code or escaped. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

/** Values allowed as an interpolation in {@link html}; null, undefined and false render as nothing. */
export type HtmlPart = Html | string | number | null | undefined | false | readonly HtmlPart[];

/**
 * Template tag for HTML. Interpolated values are escaped for text and for attributes in double quotes; nested markup and lists
 * of it are inserted unchanged.
 */
export function html(strings: TemplateStringsArray, ...parts: HtmlPart[]): Html {
  return new Html(strings.reduce((text, next, i) => text + written(parts[i - 1]) + next));
}

/** Marks text as markup: only for our own styles, scripts and icons, never for external input. */
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
