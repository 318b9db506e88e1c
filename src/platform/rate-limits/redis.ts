import { createRequire } from 'node:module';
import type { Connection } from './shared.ts';

const load = createRequire(import.meta.url);

/** Maximum wait for Redis at start. */
const OPEN_MS = 1_000;
const CONNECT_MS = 2_000;
/** A connection without data for this long is dead. It is pinged every second, so that silence never means idleness. */
const SILENT_MS = 3_000;
const ASK_EVERY_MS = 1_000;
const RECONNECT_MS = 250;

/**
 * Creates a connection to Redis or Valkey.
 * @param url redis:// or rediss://
 */
export function connectionTo(url: string): Connection {
  // Loaded only where Redis is configured: the package has more files than this project.
  const { createClient } = load('@redis/client') as typeof import('@redis/client');
  const client = createClient({
    url,
    RESP: 2,
    maintNotifications: 'disabled',
    disableOfflineQueue: true,
    // The counters have their own deadline; this would add a timer per command.
    commandOptions: { timeout: 0 },
    pingInterval: ASK_EVERY_MS,
    socket: { connectTimeout: CONNECT_MS, socketTimeout: SILENT_MS, reconnectStrategy: () => RECONNECT_MS },
  });
  // Lost connections are also reported here; the sender of a command gets a rejection.
  client.on('error', () => {});
  return {
    send: (command) => client.sendCommand([...command]),
    async open() {
      const opened = client.connect().catch(() => {});
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise((resolve) => {
        timer = setTimeout(resolve, OPEN_MS);
      });
      await Promise.race([opened, late]);
      clearTimeout(timer);
    },
    close: () => client.destroy(),
  };
}
