import { type Html, html, raw } from '../../../kit/html.ts';

/** Formats JSON with keys, strings and other values highlighted. */
export function jsonCode(value: unknown): Html {
  const text = html`${JSON.stringify(value, null, 2)}`.text;
  return raw(
    text.replace(
      /(&quot;(?:[^&\\]|\\.|&(?!quot;))*&quot;)(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?/g,
      (token, quoted, colon) => {
        if (quoted) return colon ? `<i class="k">${quoted}</i>${colon}` : `<i class="s">${quoted}</i>`;
        return `<i class="n">${token}</i>`;
      },
    ),
  );
}

/** Renders a titled code block. */
export function codeBlock(title: string, code: Html, language = ''): Html {
  return html`<figure class="block"${language && raw(` data-code="${language}"`)}><figcaption>${title}</figcaption><pre tabindex="0"><code>${code}</code></pre></figure>`;
}
