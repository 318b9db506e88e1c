import { advancePayment } from '../../../edge/sandbox-clock/service.ts';
import { BEYOND_EXPIRY_MS } from '../../../edge/sandbox-events/recipes.ts';
import type { Sandbox } from '../../../edge/sandbox-events/sandbox.ts';
import { randomBase62 } from '../../../kit/crypto.ts';
import type { Api } from '../api.ts';
import { commandClock } from '../command-clock.ts';
import { inStore } from '../in-store.ts';
import { operator } from '../operator.ts';
import { notify } from './disputes.ts';
import { teamOfPayment } from './team.ts';

/** Returns the sandbox of a running service. Triggers without an operation of the API are written to the database of this machine. */
export function sandboxOf(api: Api): Sandbox {
  return {
    unique: randomBase62(12),
    call: async (operation, { params = {}, query = {}, body } = {}) => {
      const [method, route] = operation.split(' ') as ['GET' | 'POST' | 'PATCH' | 'DELETE', string];
      const path = route.replace(/:(\w+)/g, (_, name: string) => params[name] ?? '');
      const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)])).toString();
      return (await api.call(method, search === '' ? path : `${path}?${search}`, body)).body;
    },
    expire: async (payment_id) => {
      const team_id = await teamOfPayment(payment_id);
      const advance = { team_id, by_ms: BEYOND_EXPIRY_MS, payment_id };
      await inStore('sandbox', { team: team_id }, (store) => advancePayment({ clock: commandClock }, store, advance, operator()));
    },
    dispute: async (payment) => (await notify('dispute.created', { payment, team: await teamOfPayment(payment) })).id,
  };
}
