import net from 'node:net';

/** Returns different free ports, by name. All are held until the last is found, so that none is found twice. */
export async function freePorts(names: readonly string[]): Promise<Record<string, number>> {
  const servers = await Promise.all(names.map(() => listen()));
  try {
    return Object.fromEntries(names.map((name, i) => [name, portOf(servers[i] as net.Server)]));
  } finally {
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  }
}

/** On every address of the machine: the port is wanted on several of them. */
function listen(port = 0): Promise<net.Server> {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once('error', reject).listen(port, '0.0.0.0', () => resolve(server));
  });
}

function portOf(server: net.Server): number {
  return (server.address() as net.AddressInfo).port;
}

/** Returns the first of `count` free ports that follow each other. */
export async function freeRange(count: number): Promise<number> {
  for (let tries = 0; tries < 50; tries++) {
    const first = 20_000 + Math.floor(Math.random() * 10_000);
    const open = await Promise.allSettled(Array.from({ length: count }, (_, i) => listen(first + i)));
    const servers = open.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    if (servers.length === count) return first;
  }
  throw new Error(`no ${count} free ports follow each other`);
}
