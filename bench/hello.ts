import { Helper } from './helper.ts';
import { loadPoint } from './load-point.ts';
import type { Options } from './options.ts';
import type { Point } from './rounds.ts';
import type { Stage } from './stage.ts';

const CONNECTIONS = 32;

/** The Node CPU that a request costs when it does nothing: the baseline of Node CPU. */
export async function startHello(stage: Stage, options: Options): Promise<{ point: Point; stop(): Promise<void> }> {
  const hello = new Helper<object, { port: number }>('hello', stage.folder);
  const { port } = await hello.run({}, 10_000);
  const point = loadPoint(stage, options, {
    id: 'hello',
    label: `bare Fastify hello, ${CONNECTIONS} connections`,
    service: { port, pid: hello.pid },
    connections: CONNECTIONS,
    requests: ['GET /hello HTTP/1.1\r\nHost: bench\r\n\r\n'],
    prepare: async () => {},
  });
  return { point, stop: () => hello.stop() };
}
