import type { AddressInfo } from 'node:net';
import Fastify from 'fastify';
import { takeJobs } from './jobs.ts';

/** The least a request costs in this framework: one route, one small object, a schema that serialises it. */
takeJobs<object, { port: number }>(async () => {
  const app = Fastify({ logger: false });
  const schema = { response: { 200: { type: 'object', properties: { hello: { type: 'string' } } } } };
  app.get('/hello', { schema }, async () => ({ hello: 'world' }));
  await app.listen({ host: '127.0.0.1', port: 0 });
  return { port: (app.server.address() as AddressInfo).port };
});
