import { type Html, html } from '../../../kit/html.ts';
import type { Operation } from '../types.ts';
import { codeBlock } from './code.ts';

interface Request {
  method: string;
  url: string;
  idempotent: boolean;
  body: unknown;
}

/** Renders the request as curl and as JavaScript, without a key that could be copied along. */
export function samples(request: Request, operation: Operation): Html {
  return html`${codeBlock('curl', html`${curl(request)}`, 'curl')}${codeBlock('JavaScript', html`${script(request, operation)}`, 'js')}`;
}

function curl({ method, url, idempotent, body }: Request): string {
  const plain = method === 'GET' || (method === 'POST' && body !== undefined);
  return [
    `curl ${plain ? '' : `-X ${method} `}${url}`,
    '-H "Authorization: $KEY"',
    ...(idempotent ? ['-H "Idempotency-Key: order-1042-first-try"'] : []),
    ...(body === undefined ? [] : [`-d '${JSON.stringify(body, null, 2).replaceAll("'", "'\\''").replaceAll('\n', '\n  ')}'`]),
  ].join(' \\\n  ');
}

function script({ method, url, idempotent, body }: Request, operation: Operation): string {
  const headers = [
    'Authorization: key, // from your environment',
    ...(body === undefined ? [] : ["'Content-Type': 'application/json',"]),
    ...(idempotent ? ["'Idempotency-Key': crypto.randomUUID(),"] : []),
  ];
  return [
    `const answer = await fetch('${url}', {`,
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    '  headers: {',
    ...headers.map((line) => `    ${line}`),
    '  },',
    ...(body === undefined ? [] : [`  body: JSON.stringify(${literal(body).replaceAll('\n', '\n  ')}),`]),
    '});',
    `const { ${keysOf(operation).join(', ')} } = await answer.json();`,
  ].join('\n');
}

/** Formats JSON in JavaScript style. */
function literal(value: unknown): string {
  return JSON.stringify(value, null, 2)
    .replace(/^(\s*)"([a-z_]\w*)":/gim, '$1$2:')
    .replace(/"((?:[^"\\']|\\.)*)"/g, "'$1'");
}

/** Returns the fields to read from the response: all but the envelope; for a list, `items` without the paging data. */
function keysOf({ responses }: Operation): string[] {
  const success = Object.entries(responses).find(([status]) => status < '300')?.[1];
  const example = success && 'content' in success ? success.content?.['application/json'].examples?.answer : undefined;
  const value = example && 'value' in example ? (example.value as object | null) : null;
  const keys = Object.keys(value ?? {}).filter((key) => !['code', 'status', 'message', 'authorization_token'].includes(key));
  return keys.includes('balance') ? ['balance'] : keys.length > 0 ? keys : ['message'];
}
