import type { Attributes, Ended } from './tracer.ts';

/** Numbers of the protocol (opentelemetry-proto, trace.proto). */
const KINDS = { internal: 1, server: 2, client: 3 } as const;
const STATUS_ERROR = 2;

/** Builds the body of an export request in OTLP's JSON encoding: ids are hexadecimal and 64-bit numbers are strings. */
export function otlpJson(service: string, spans: readonly Ended[]) {
  return {
    resourceSpans: [
      {
        resource: { attributes: attributesOf({ 'service.name': service, 'process.pid': process.pid }) },
        scopeSpans: [{ scope: { name: 'pirogue' }, spans: spans.map(spanOf) }],
      },
    ],
  };
}

function spanOf(span: Ended) {
  return {
    traceId: span.trace_id,
    spanId: span.span_id,
    ...(span.parent_id ? { parentSpanId: span.parent_id } : {}),
    name: span.name,
    kind: KINDS[span.kind],
    startTimeUnixNano: nanoseconds(span.start_ms),
    endTimeUnixNano: nanoseconds(span.end_ms),
    attributes: attributesOf(span.attributes),
    ...(span.error === null ? {} : { status: { code: STATUS_ERROR, message: span.error } }),
  };
}

function attributesOf(attributes: Attributes) {
  return Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'string' ? { stringValue: value } : { intValue: String(Math.round(value)) },
  }));
}

/** Converts milliseconds to nanoseconds. Fractional milliseconds are exact to a quarter of a microsecond. */
function nanoseconds(ms: number): string {
  const whole = Math.trunc(ms);
  return String(BigInt(whole) * 1_000_000n + BigInt(Math.round((ms - whole) * 1e6)));
}
