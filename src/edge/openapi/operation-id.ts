import type { Route } from '../../tenants/api/route.ts';

const ON_ITEM = { GET: 'retrieve', PUT: 'replace', PATCH: 'update', DELETE: 'delete', POST: 'submit' } as const;

/**
 * Returns the operation's name in client libraries: `listPayments`, `createRefund`, `retrieveTransfer`,
 * `listWebhookDeliveries`, `deactivateAccount`. A route's own `operation_id` takes precedence.
 */
export function operationIdOf({ operation_id, method, path }: Pick<Route, 'operation_id' | 'method' | 'path'>): string {
  if (operation_id) return operation_id;
  const [collection = '', id, action] = path.split('/').slice(1);
  const one = pascal(singular(collection));
  if (id === undefined) return method === 'GET' ? `list${pascal(collection)}` : `create${one}`;
  if (!id.startsWith(':')) return method === 'GET' ? `list${one}${pascal(id)}` : `${camel(id)}${one}`;
  if (action === undefined) return `${ON_ITEM[method]}${one}`;
  return method === 'GET' ? `list${one}${pascal(action)}` : `${camel(action)}${one}`;
}

/** Converts to Pascal case: `rotate-secret` and `balance_history` become `RotateSecret` and `BalanceHistory`. */
export function pascal(text: string): string {
  return text.replace(/(?:^|[-_.])([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function camel(text: string): string {
  const name = pascal(text);
  return name.charAt(0).toLowerCase() + name.slice(1);
}

function singular(word: string): string {
  return word.replace(/ies$/, 'y').replace(/s$/, '');
}
