import http from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A balancer as small as can be: asks for readiness, keeps connections, and tries again only when a backend refused the connection, which is
 * when nothing can have been sent, or had closed a kept one and the request may be repeated.
 * @param ports of the backends; may be changed
 */
export function balancer(ports: number[]) {
  const agent = new http.Agent({ keepAlive: true });
  const ready = new Set(ports);
  let turn = 0;
  const look = setInterval(() => {
    for (const port of ports) {
      const lost = () => void ready.delete(port);
      http
        .get({ port, host: '127.0.0.1', path: '/health/ready', agent: false }, (answer) => {
          answer.resume();
          if (answer.statusCode === 200) ready.add(port);
          else lost();
        })
        .on('error', lost);
    }
  }, 100);
  const pass = (request: http.IncomingMessage, body: Buffer, response: http.ServerResponse, left: number[]) => {
    const choice = left.filter((port) => ready.has(port));
    const port = (choice.length > 0 ? choice : left)[turn++ % (choice.length || left.length)] as number;
    const { method, url: path, headers } = request;
    const passed = http.request({ port, host: '127.0.0.1', method, path, headers, agent }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    passed.on('error', (error: NodeJS.ErrnoException) => {
      const others = left.filter((other) => other !== port);
      // A backend may close a kept connection that is idle while this process, which a busy machine halts, begins to use it again.
      const wasClosed = passed.reusedSocket && error.code === 'ECONNRESET';
      const isRepeatable = method === 'GET' || headers['idempotency-key'] !== undefined;
      if (wasClosed && isRepeatable) pass(request, body, response, left);
      else if (error.code === 'ECONNREFUSED' && others.length > 0) pass(request, body, response, others);
      else response.writeHead(502, { 'x-failure': String(error.code) }).end('{}');
    });
    passed.end(body);
  };
  const server = http.createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    pass(request, Buffer.concat(parts), response, ports);
  });
  return {
    listen: () =>
      new Promise<string>((resolve) =>
        server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)),
      ),
    close: () => {
      clearInterval(look);
      agent.destroy();
      server.close();
      server.closeAllConnections();
    },
  };
}
