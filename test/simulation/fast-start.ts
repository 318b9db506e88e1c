import { createRequire } from 'node:module';

type Compiler = (route: { schema: object }) => unknown;
type Selector = () => (externalSchemas: unknown, options: object) => Compiler;

/**
 * Nodes start often and all serialise alike: each serialiser is compiled once per process. Call it before Fastify is loaded.
 */
export function rememberSerialisers(): void {
  const require = createRequire(createRequire(import.meta.url).resolve('fastify'));
  const place = require.resolve('@fastify/fast-json-stringify-compiler');
  const known = new Map<string, unknown>();
  const select = require(place) as Selector;
  const remembering: Selector = () => {
    const factory = select();
    return (externalSchemas, options) => {
      const compile = factory(externalSchemas, options);
      const others = JSON.stringify(externalSchemas);
      return (route) => {
        const key = others + JSON.stringify(route.schema);
        if (!known.has(key)) known.set(key, compile(route));
        return known.get(key);
      };
    };
  };
  const module = require.cache[place];
  if (!module) throw new Error('the compiler of serialisers was not loaded');
  module.exports = Object.assign(remembering, { SerializerSelector: remembering, default: remembering });
}
