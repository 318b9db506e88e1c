import type { Send } from '../../kit/fetch.ts';
import type { Sql } from '../../kit/sql.ts';
import type { Tracer } from './tracer.ts';

/** Wraps a sender: each call becomes a span and carries its context in `traceparent`. Only host and method are recorded. */
export function tracedSend(tracer: Tracer, send: Send, name: string): Send {
  return async (options) => {
    const span = tracer.start(name, 'client');
    const result = await send({ ...options, headers: { ...options.headers, traceparent: span.traceparent } });
    span.end(
      {
        'http.request.method': options.method,
        'server.address': URL.parse(options.url)?.hostname ?? '',
        ...(result.kind === 'answered' ? { 'http.response.status_code': result.status } : { 'error.type': result.error }),
      },
      result.kind === 'failed' ? result.error : result.status >= 500 ? `status ${result.status}` : null,
    );
    return result;
  };
}

/** Called before each statement of a pool; the returned function is called after it. */
export type StatementWatch = (statement: Sql) => ((error?: unknown) => void) | null;

/** Records a span for each statement of a traced request. A statement's text contains no values, which are sent separately. */
export function tracedStatements(tracer: Tracer, database: string): StatementWatch {
  return (statement) => {
    if (!tracer.inside) return null;
    const summary = summaryOf(statement.text);
    const span = tracer.start(summary, 'client');
    return (error) =>
      span.end(
        { 'db.system.name': 'postgresql', 'db.namespace': database, 'db.query.summary': summary },
        error === undefined ? null : codeOf(error),
      );
  };
}

const known = new Map<string, string>();
const MAX_KNOWN = 1_000;

const WRITES = /\b(insert)\s+into\s+(\w+)|\b(update)\s+(?!of\b|skip\b|set\b)(\w+)|\b(delete)\s+from\s+(\w+)/g;
const MAX_SUMMARY = 120;

/** Returns operations and tables of a statement: `insert payments insert events`. */
export function summaryOf(text: string): string {
  const found = known.get(text);
  if (found) return found;
  const writes = [...text.matchAll(WRITES)].map((write) => write.slice(1).filter(Boolean).join(' '));
  const read = `select ${/\bfrom\s+(\w+)/.exec(text)?.[1] ?? ''}`.trim();
  const summary = (writes.length > 0 ? [...new Set(writes)].join(' ') : read).slice(0, MAX_SUMMARY);
  if (known.size < MAX_KNOWN) known.set(text, summary);
  return summary;
}

/** Returns the error code, never the server's message, which may contain values. */
function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'error';
}
