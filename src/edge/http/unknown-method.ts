import { METHODS } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { reasonPhrase } from '../../kit/envelope.ts';

/** Method under which such a request is routed and logged: Node knows it, and no route takes it. */
const STAND_IN = 'UNLINK';
/** Headers about a body and a connection that are not there. */
const DROPPED = /^(connection|content-length|expect|keep-alive|transfer-encoding|upgrade)$/;

interface Head {
  url: string;
  headers: Record<string, string[]>;
}

/**
 * Returns the head of a request whose method Node does not know; null for anything else. Nothing is returned for a method that Node knows:
 * the bytes may begin with a request that has been processed.
 * @param packet bytes that Node rejected
 */
export function headOf(packet: Buffer): Head | null {
  const text = packet.toString('latin1');
  const end = text.indexOf('\r\n\r\n');
  const [line = '', ...fields] = text.slice(0, Math.max(end, 0)).split('\r\n');
  const [, method = '', url = ''] = /^([A-Z][A-Z-]{0,31}) (\/\S*) HTTP\/1\.[01]$/.exec(line) ?? [];
  if (method === '' || METHODS.includes(method)) return null;
  const headers: Record<string, string[]> = Object.create(null);
  for (const field of fields) {
    const colon = field.indexOf(':');
    const name = field.slice(0, Math.max(colon, 0)).toLowerCase();
    const value = field.slice(colon + 1).trim();
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || /[^\t\x20-\x7e\x80-\xff]/.test(value)) return null;
    const known = headers[name];
    if (known) known.push(value);
    else if (!DROPPED.test(name)) headers[name] = [value];
  }
  return { url, headers };
}

/** Answers a request with an unknown method as one with any other method that no route takes, and ends its connection. */
export async function answerUnknownMethod(app: FastifyInstance, { url, headers }: Head, socket: Socket): Promise<void> {
  const { remoteAddress = '' } = socket;
  const { statusCode, headers: answered, payload } = await app.inject({ method: STAND_IN, url, headers, remoteAddress });
  const lines = Object.entries({ ...answered, connection: 'close' }).flatMap(([name, value]) =>
    [value ?? []].flat().map((one) => `${name}: ${one}`),
  );
  socket.end([`HTTP/1.1 ${statusCode} ${reasonPhrase(statusCode)}`, ...lines, '', payload].join('\r\n'));
}
