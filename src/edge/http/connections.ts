import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { HttpDeps } from './deps.ts';

type Service = HttpDeps['service'];

/** How long a connection that has sent the beginning of a request may take to send its head, once the server closes. */
const BEGUN_MS = 2_000;

/** What a connection was used for. */
interface Use {
  /** Requests whose response was not sent completely; above one where a client pipelines. */
  requests: number;
  /** Bytes that were received when the last response had been sent. More of them are the beginning of a request. */
  bytes: number;
}

/**
 * Ends each connection with its response while the service is leaving or the server closes. Otherwise a connection that had a request at the
 * signal is kept alive: the process waits for it until its deadline, and serves further requests after it has closed its databases.
 */
export function closeWhileLeaving(app: FastifyInstance, service: Service): void {
  const uses = usesOf(app.server);
  let isClosing = false;
  // Called by `close`. Node's own takes a response for sent that it has only buffered, and cuts a large one.
  app.server.closeIdleConnections = () => {
    isClosing = true;
    const closeUnused = (isUnused: (socket: Socket, use: Use) => boolean) => {
      for (const [socket, use] of uses) if (use.requests === 0 && isUnused(socket, use)) socket.destroySoon();
    };
    closeUnused((socket, { bytes }) => socket.bytesRead === bytes);
    // What came after the last response may be the rest of an answered request, or not become one.
    setTimeout(() => closeUnused(() => true), BEGUN_MS).unref();
  };
  app.addHook('onSend', (_request, reply, _payload, done) => {
    announceClose(service, reply);
    done();
  });
  // The headers of this response may have been sent before the signal, so that Node would keep the connection.
  app.addHook('onResponse', ({ raw: { socket } }, _reply, done) => {
    if ((isClosing || service.leaving) && uses.get(socket)?.requests === 1) socket.destroySoon();
    done();
  });
}

/** Sets the header by which a response says that its connection ends, if the service is leaving. */
export function announceClose(service: Service, reply: FastifyReply): void {
  if (service.leaving) reply.header('Connection', 'close');
}

/**
 * Follows the handlers that are running. Closing a server waits for connections, and a caller that has gone has none: its handler would
 * find the logs and the databases closed when the provider answers.
 * @returns waits for those that are running if the service is leaving. A server that closes for another reason, as that of a crashed node in
 * the simulation, may have handlers that never end
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

/** Follows the open connections of a server. */
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
