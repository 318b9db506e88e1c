import { ConfigError } from '../kit/config-error.ts';

/** Where traces go, in the variables that every OpenTelemetry SDK reads. */
export interface TracingSettings {
  /** The whole address: the endpoint and /v1/traces. */
  url: string;
  /** Such as an access token. */
  headers: Record<string, string>;
  service: string;
  /** The part of the traces begun here that is kept; whoever sends a traceparent has decided already. */
  share: number;
}

type Env = Record<string, string | undefined>;

/** @returns null when no endpoint is set @throws ConfigError without showing the headers, which may hold a secret */
export function tracingSettings(env: Env): TracingSettings | null {
  const endpoint = env.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (!endpoint) return null;
  if (!/^https?:$/.test(URL.parse(endpoint)?.protocol ?? '')) {
    throw new ConfigError('OTEL_EXPORTER_OTLP_ENDPOINT can not be used: it must be an address such as http://127.0.0.1:4318');
  }
  return {
    url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
    headers: headersOf(env.OTEL_EXPORTER_OTLP_HEADERS ?? ''),
    service: env.OTEL_SERVICE_NAME || 'pirogue',
    share: shareOf(env.OTEL_TRACES_SAMPLER_ARG || '1'),
  };
}

/** `name=value,name=value`, values percent-encoded. */
function headersOf(text: string): Record<string, string> {
  const pairs = text.split(',').filter((pair) => pair.trim() !== '');
  return Object.fromEntries(pairs.map(headerOf));
}

function headerOf(pair: string): [string, string] {
  const match = /^\s*([\w-]+)\s*=(.*)$/.exec(pair);
  try {
    if (match) return [match[1] as string, decodeURIComponent((match[2] as string).trim())];
  } catch {
    // A percent sign that encodes nothing: as wrong as no name.
  }
  throw new ConfigError('OTEL_EXPORTER_OTLP_HEADERS can not be used: it must be a list such as name=value,other=value');
}

function shareOf(text: string): number {
  const share = Number(text);
  if (share >= 0 && share <= 1) return share;
  throw new ConfigError(`OTEL_TRACES_SAMPLER_ARG=${text} can not be used: it must be a number from 0 to 1`);
}
