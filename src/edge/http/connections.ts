import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { HttpDeps } from './deps.ts';

type Service = HttpDeps['service'];

/** Maximum time for a connection with a partial request to complete its headers, once the server closes. */
const BEGUN_MS = 2_000;

/** Use of a connection. */
interface Use {
  /** Requests whose response was not sent completely; above one where a client pipelines. */
  requests: number;
  /** Number of bytes received when the last response had been sent. Further bytes are the beginning of a request. */
  bytes: number;
}

/**
 * Ends each connection after its response while the service shuts down or the server closes. Otherwise a connection with a request at
 * the time of the signal would be kept alive: the process would wait for it until its deadline, and accept further requests after it has
 * closed its databases.
 */
export function closeWhileLeaving(app: FastifyInstance, service: Service): void {
  const uses = usesOf(app.server);
  let isClosing = false;
  // Called by `close`. Node's own function treats a buffered response as sent, and truncates a large one.
  app.server.closeIdleConnections = () => {
    isClosing = true;
    const closeUnused = (isUnused: (socket: Socket, use: Use) => boolean) => {
      for (const [socket, use] of uses) if (use.requests === 0 && isUnused(socket, use)) socket.destroySoon();
    };
    closeUnused((socket, { bytes }) => socket.bytesRead === bytes);
    // Bytes after the last response may be the rest of an answered request, or an incomplete request.
    setTimeout(() => closeUnused(() => true), BEGUN_MS).unref();
  };
  app.addHook('onSend', (_request, reply, _payload, done) => {
    announceClose(service, reply);
    done();
  });
  // The headers of this response may have been sent before the signal, and Node would then keep the connection.
  app.addHook('onResponse', ({ raw: { socket } }, _reply, done) => {
    if ((isClosing || service.leaving) && uses.get(socket)?.requests === 1) socket.destroySoon();
    done();
  });
}

/** Sets the header that announces the end of the connection, if the service is shutting down. */
export function announceClose(service: Service, reply: FastifyReply): void {
  if (service.leaving) reply.header('Connection', 'close');
}

/**
 * Tracks the running handlers. Closing a server waits for connections only, and a caller that has disconnected has none: its handler
 * would find the logs and the databases closed when the provider answers.
 * @returns a function that waits for the running handlers if the service is shutting down. A server that closes for another reason, such
 * as a crashed node in the simulation, may have handlers that never end
 */
export function followHandlers(app: FastifyInstance, service: Service): () => Promise<void> {
  const running = new Set<Promise<unknown>>();
  app.addHook('onRoute', (route) => {
    const { handler } = route;
    route.handler = function (request, reply) {
      const result = handler.call(this, request, reply);
      if (result instanceof Promise) {
        running.add(result);
        const end = () => running.delete(result);
        result.then(end, end);
      }
      return result;
    };
  });
  return async () => {
    if (service.leaving) await Promise.allSettled(running);
  };
}

/** Tracks the open connections of a server. */
function usesOf(server: Server): ReadonlyMap<Socket, Use> {
  const uses = new Map<Socket, Use>();
  server.on('connection', (socket) => {
    uses.set(socket, { requests: 0, bytes: 0 });
    socket.once('close', () => uses.delete(socket));
  });
  server.on('request', ({ socket }, response) => {
    const use = uses.get(socket);
    if (!use) return;
    use.requests += 1;
    response.once('close', () => {
      use.requests -= 1;
      use.bytes = socket.bytesRead;
    });
  });
  return uses;
}
