import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConfigError } from '../../kit/config-error.ts';
import { exposition, type Family } from './exposition.ts';

const TYPE = 'text/plain; version=0.0.4; charset=utf-8';
const TIMEOUT_MS = 10_000;

export interface MetricsServer {
  port: number;
  close(): Promise<void>;
}

/**
 * Serves `GET /metrics` on a separate port, which payers and merchants cannot reach.
 * @param port 0: any free port
 * @throws ConfigError when the address cannot be used
 */
export async function serveMetrics(
  { host, port }: { host: string; port: number },
  scrape: () => Promise<Family[]>,
): Promise<MetricsServer> {
  const server = http.createServer(
    { requestTimeout: TIMEOUT_MS, connectionsCheckingInterval: TIMEOUT_MS },
    (request, response) => {
      answer(request, response, scrape).catch(() => response.writeHead(500).end());
    },
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(new ConfigError(`METRICS_HOST=${host}, METRICS_PORT=${port} cannot be used: ${error.message}`)),
    );
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  request: http.IncomingMessage,
  response: http.ServerResponse,
  scrape: () => Promise<Family[]>,
): Promise<void> {
  if (request.method !== 'GET' || request.url?.split('?')[0] !== '/metrics') {
    response.writeHead(404).end();
    return;
  }
  const text = exposition(await scrape());
  response.writeHead(200, { 'Content-Type': TYPE, 'Cache-Control': 'no-store' }).end(text);
}
