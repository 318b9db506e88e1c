import { createClient } from '@redis/client';
import type { Connection } from './shared.ts';

/** A start waits no longer for Redis. */
const OPEN_MS = 1_000;
const CONNECT_MS = 2_000;
/** A connection over which nothing came for so long is dead; asked every second, so that it is never just idle. */
const SILENT_MS = 3_000;
const ASK_EVERY_MS = 1_000;
const RECONNECT_MS = 250;

/** @param url redis:// or rediss:// */
export function connectionTo(url: string): Connection {
  const client = createClient({
    url,
    RESP: 2,
    maintNotifications: 'disabled',
    disableOfflineQueue: true,
    // The counters have a deadline of their own; this would be one more timer for each command.
    commandOptions: { timeout: 0 },
    pingInterval: ASK_EVERY_MS,
    socket: { connectTimeout: CONNECT_MS, socketTimeout: SILENT_MS, reconnectStrategy: () => RECONNECT_MS },
  });
  // Every lost connection is told here too; whoever sent a command hears of it by its rejection.
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
