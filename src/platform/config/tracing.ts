import { ConfigError } from '../../kit/config-error.ts';

/** Destination of traces, from the environment variables of the OpenTelemetry SDKs. */
export interface TracingSettings {
  /** Full URL: the endpoint and /v1/traces. */
  url: string;
  /** Request headers, such as an access token. */
  headers: Record<string, string>;
  service: string;
  /** Share of the traces started here that is sampled. For requests with a traceparent, the caller has decided. */
  share: number;
}

type Env = Record<string, string | undefined>;

/**
 * Reads the tracing settings.
 * @returns null when no endpoint is set
 * @throws ConfigError without the headers, which may contain a secret
 */
export function tracingSettings(env: Env): TracingSettings | null {
  const endpoint = env.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (!endpoint) return null;
  // A path is appended to the endpoint, and would become part of a query or fragment.
  if (!/^https?:$/.test(URL.parse(endpoint)?.protocol ?? '') || /[?#]/.test(endpoint)) {
    throw new ConfigError('OTEL_EXPORTER_OTLP_ENDPOINT cannot be used: it must be an address such as http://127.0.0.1:4318');
  }
  return {
    url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
    headers: headersOf(env.OTEL_EXPORTER_OTLP_HEADERS ?? ''),
    service: env.OTEL_SERVICE_NAME || 'pirogue',
    share: shareOf(env.OTEL_TRACES_SAMPLER_ARG || '1'),
  };
}

/** Parses `name=value,name=value` with percent-encoded values. */
function headersOf(text: string): Record<string, string> {
  const pairs = text.split(',').filter((pair) => pair.trim() !== '');
  return Object.fromEntries(pairs.map(headerOf));
}

function headerOf(pair: string): [string, string] {
  const match = /^\s*([\w-]+)\s*=(.*)$/.exec(pair);
  try {
    if (match) return [match[1] as string, decodeURIComponent((match[2] as string).trim())];
  } catch {
    // Invalid percent-encoding is rejected like a missing name.
  }
  throw new ConfigError('OTEL_EXPORTER_OTLP_HEADERS cannot be used: it must be a list such as name=value,other=value');
}

function shareOf(text: string): number {
  const share = Number(text);
  if (share >= 0 && share <= 1) return share;
  throw new ConfigError(`OTEL_TRACES_SAMPLER_ARG=${text} cannot be used: it must be a number from 0 to 1`);
}
