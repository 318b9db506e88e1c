import type { ServerResponse } from 'node:http';
import type { Answer } from './calls.ts';
import type { Fault } from './faults.ts';

const PAGE = '<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>';

/** Sends the response, modified by the fault. */
export function sendAnswer(response: ServerResponse, answer: Answer, fault: Fault, broken: Answer): void {
  switch (fault) {
    case 'reset_uncreated':
    case 'reset_created':
      response.socket?.destroy();
      return;
    case 'error_uncreated':
    case 'error_created':
      write(response, broken);
      return;
    case 'page_uncreated':
    case 'page_created':
      write(response, { status: 502, headers: { 'content-type': 'text/html' }, body: PAGE });
      return;
    case 'garbled_uncreated':
    case 'garbled_created':
      write(response, { ...answer, status: 200, body: '{"status":"ACC' });
      return;
    case 'cut_created':
      cut(response, answer);
      return;
    default:
      write(response, answer);
  }
}

function write(response: ServerResponse, { status, headers, body }: Answer): void {
  const text = textOf(body);
  const type = typeof body === 'object' && body !== null ? { 'content-type': 'application/json' } : {};
  response.writeHead(status, { ...type, ...headers, 'content-length': Buffer.byteLength(text) }).end(text);
}

/** Sends less than the declared content length, then closes the connection. */
function cut(response: ServerResponse, { status, headers, body }: Answer): void {
  const text = textOf(body);
  response.writeHead(status, { 'content-type': 'application/json', ...headers, 'content-length': Buffer.byteLength(text) + 10 });
  response.write(text.slice(0, Math.ceil(text.length / 2)), () => response.socket?.destroy());
}

function textOf(body: Answer['body']): string {
  return body === null ? '' : typeof body === 'string' ? body : JSON.stringify(body);
}
