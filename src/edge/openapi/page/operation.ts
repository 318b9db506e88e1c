import { type Html, html } from '../../../kit/html.ts';
import type { Document, Example, MediaType, Operation, Parameter, Ref, Response } from '../types.ts';
import { codeBlock, jsonCode } from './code.ts';
import { type Fields, hasSection } from './fields.ts';
import { inline, markdown } from './markdown.ts';
import { samples } from './samples.ts';
import { tryForm } from './try.ts';

/** Headers of every operation, described once at the top of the page. */
const COMMON = new Set(['X-Service-Version', 'X-Request-Id']);
const ENVELOPE = ['code', 'status', 'message'];

/** Renders the sections of operations. */
export class Operations {
  readonly #document: Document;
  readonly #fields: Fields;
  readonly #server: string;

  constructor(document: Document, fields: Fields) {
    this.#document = document;
    this.#fields = fields;
    this.#server = document.servers[0]?.url ?? '';
  }

  /** Renders one operation: text on the left, code on the right. */
  section(method: string, template: string, operation: Operation): Html {
    const parameters = operation.parameters.map((found) => this.#component<Parameter>(found));
    const media = operation.requestBody?.content['application/json'];
    return html`<section class="pair" id="${operation.operationId}">
<div class="words"><h3><a href="#${operation.operationId}">${operation.summary}</a></h3>
<p class="line"><b class="verb ${method}">${method.toUpperCase()}</b> <code>${template}</code></p>
${markdown(operation.description)}${this.#inputs(parameters, media)}
<h4>Answers</h4>${Object.entries(operation.responses).map(([status, response]) => this.#answer(status, response))}</div>
<div class="code">${this.#code(method, template, operation, parameters, media)}</div>
</section>`;
  }

  #inputs(parameters: Parameter[], media: MediaType | undefined): Html[] {
    const groups: [string, Parameter[]][] = [
      ['Path', parameters.filter((parameter) => parameter.in === 'path')],
      ['Query', parameters.filter((parameter) => parameter.in === 'query')],
      ['Headers', parameters.filter((parameter) => parameter.in === 'header' && !COMMON.has(parameter.name))],
    ];
    const shown = groups
      .filter(([, found]) => found.length > 0)
      .map(([title, found]) => html`<h4>${title}</h4>${this.#fields.parameters(found)}`);
    return media ? [...shown, html`<h4>Body</h4>${this.#fields.sent(media.schema)}`] : shown;
  }

  #answer(status: string, found: Response | Ref): Html {
    const response = this.#component<Response>(found);
    const [phrase = '', , ...causes] = response.description.split('\n');
    const media = response.content?.['application/json'];
    const inside = status < '400' && media ? this.#success(media) : this.#causes(media, causes);
    return html`<details class="answer"><summary><b class="s${status.charAt(0)}">${status}</b> ${phrase}</summary>${inside}</details>`;
  }

  #success({ schema }: MediaType): Html | null {
    const named = this.#fields.resolve(schema);
    const whole = named.name !== null && hasSection(named.name, named.schema);
    return whole ? html`<a href="#object-${named.name}">${named.name}</a>` : this.#fields.received(schema, ENVELOPE);
  }

  #causes(media: MediaType | undefined, causes: string[]): Html {
    const codes = Object.values(media?.examples ?? {}).map(
      (example) => (this.#component<Example>(example).value as { error_code?: string }).error_code,
    );
    return html`<ul>${causes.map(
      (cause, i) =>
        html`<li>${inline(cause.replace(/^- /, ''))}${codes[i] && !cause.includes('error_code') && html` <code>${codes[i]}</code>`}</li>`,
    )}</ul>`;
  }

  #code(method: string, template: string, operation: Operation, parameters: Parameter[], media: MediaType | undefined): Html {
    const [first, ...others] = Object.values(media?.examples ?? {}) as Example[];
    const path = parameters
      .filter((parameter) => parameter.in === 'path')
      .reduce((text, { name, example }) => text.replace(`{${name}}`, String(example)), template);
    const idempotent = parameters.some(({ name }) => name === 'Idempotency-Key');
    const request = { method: method.toUpperCase(), url: this.#server + path, idempotent, body: first?.value };
    const success = Object.entries(operation.responses).find(([status]) => status < '300');
    const shown = success && this.#component<Response>(success[1]).content?.['application/json'].examples?.answer;
    return html`${samples(request, operation)}${others.map(
      (example) =>
        html`<details class="more"><summary>${example.summary}</summary><pre tabindex="0"><code>${jsonCode(example.value)}</code></pre></details>`,
    )}${operation['x-access'] === 'public' && tryForm(method.toUpperCase(), template, operation, parameters, first?.value)}${
      shown && codeBlock(`Answer ${success[0]}`, jsonCode(this.#component<Example>(shown).value))
    }`;
  }

  #component<T extends object>(found: T | Ref): T {
    if (!('$ref' in found)) return found;
    const [kind, name] = found.$ref.split('/').slice(2) as ['parameters', string];
    return this.#document.components[kind][name] as unknown as T;
  }
}
