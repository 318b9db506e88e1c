import { type Html, html } from '../../../kit/html.ts';
import type { Operation, Parameter } from '../types.ts';

/**
 * Renders the form that sends the operation with a public sandbox key. docs.js activates it; without JavaScript it stays
 * hidden.
 */
export function tryForm(method: string, template: string, operation: Operation, parameters: Parameter[], body: unknown): Html {
  const id = (name: string) => `try-${operation.operationId}-${name}`;
  const inputs = parameters.filter((parameter) => parameter.in !== 'header');
  return html`<details class="try"><summary>Try it in the sandbox</summary>
<form data-method="${method}" data-path="${template}">
<label for="${id('key')}">Public sandbox key</label>
<input id="${id('key')}" name="key" placeholder="pk_test.…" autocomplete="off" autocapitalize="off" spellcheck="false">
${inputs.map(
  ({ name, in: place }) => html`<label for="${id(name)}">${name}${place === 'query' && html` <small>optional</small>`}</label>
<input id="${id(name)}" name="${name}" data-in="${place}" autocomplete="off" autocapitalize="off" spellcheck="false">`,
)}
${
  body !== undefined &&
  html`<label for="${id('body')}">Body</label>
<textarea id="${id('body')}" name="body" rows="${JSON.stringify(body, null, 2).split('\n').length}" spellcheck="false">${JSON.stringify(body, null, 2)}</textarea>`
}
<button>Send</button>
<div class="result" role="status"></div>
</form></details>`;
}
