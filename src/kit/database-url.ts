import { ConfigError } from './config-error.ts';

/** One server of a database URL. */
export interface Host {
  /** Name, address, or folder of a unix socket. */
  host: string;
  port: number;
}

/** A database URL as the driver takes it, and what it leaves out. */
export interface ServerList {
  /** With at most one host, and without `target_session_attrs`. */
  url: string;
  /** In the order of the URL. Empty when the driver finds the only one by itself. */
  hosts: readonly Host[];
}

const DEFAULT_PORT = 5432;
/** `target_session_attrs` that require a primary. `any` would also accept a standby, on which every write fails. */
const PRIMARY = new Set(['primary', 'read-write']);
const SHAPE = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]*)([^?#]*)(?:\?([^#]*))?$/;

/**
 * Parses a database URL with one or several hosts, as libpq does:
 * `postgresql://user@10.0.0.1,10.0.0.2:5433/name?target_session_attrs=primary`.
 * @throws ConfigError when several hosts or `target_session_attrs` cannot be used; its message has no password
 */
export function parseDatabaseUrl(url: string): ServerList {
  const [, start = '', authority = '', path = '', query = ''] = SHAPE.exec(url) ?? [];
  const parameters = query.split('&').filter((parameter) => parameter !== '');
  const isAttribute = (parameter: string) => parameter.startsWith('target_session_attrs=');
  const attribute = parameters.find(isAttribute)?.split('=')[1];
  const names = authority.split(',');
  if (attribute === undefined && names.length === 1) return { url, hosts: [] };
  if (attribute !== 'any' && !PRIMARY.has(attribute ?? '')) {
    throw new ConfigError(
      'a database address with several hosts needs target_session_attrs=primary: only the primary accepts writes',
    );
  }
  if (attribute === 'any' && names.length > 1) {
    throw new ConfigError('a database address with several hosts cannot be used with target_session_attrs=any: use primary');
  }
  const others = parameters.filter((parameter) => !isAttribute(parameter));
  const plain = `${start}${names[0]}${path}${others.length > 0 ? `?${others.join('&')}` : ''}`;
  return { url: plain, hosts: attribute === 'any' ? [] : names.map(hostOf) };
}

function hostOf(text: string): Host {
  const [, name = '', port = ''] = /^(\[[0-9A-Fa-f:.]+\]|[^:[\]]+)(?::(\d{1,5}))?$/.exec(text) ?? [];
  if (name === '') throw new ConfigError('a database address names a host that is empty or malformed: write host:port,host:port');
  return { host: decodeURIComponent(name).replace(/^\[|\]$/g, ''), port: port === '' ? DEFAULT_PORT : Number(port) };
}
