import type { CustomerDeps } from '../../core/customers/deps.ts';
import { presentCustomer } from '../../core/customers/present.ts';
import { customerReply } from '../../core/customers/schema.ts';
import { withFreeAddress } from '../../core/customers/service.ts';
import { envelopeSchema } from '../../kit/envelope.ts';
import { type Route, route } from '../../tenants/api/route.ts';
import { callerOf } from '../../tenants/audit/actor.ts';
import { eraseCustomer } from './erase.ts';

/** The route that erases a customer. */
export function erasureRoutes(deps: Pick<CustomerDeps, 'secrets'>): Route[] {
  return [
    route({
      access: 'private',
      scope: 'customer.write',
      method: 'DELETE',
      path: '/customers/:id',
      summary: 'Erase a customer',
      description:
        'Archives and anonymises the record, deletes addresses and saved payment methods, and removes name, e-mail address, ' +
        'phone number and addresses from the stored payments, which remain. Cannot be undone; repeating it ' +
        'changes nothing.',
      operation_id: 'eraseCustomer',
      problems: ['customer_not_found'],
      replies: { 200: envelopeSchema({ customer: customerReply }) },
      handle: async (call) => {
        const { team, store } = call.caller;
        const { db, environment } = store;
        const ref = { team_id: team.id, id: call.params.id as string };
        const erased = await withFreeAddress(() =>
          db.transaction((tx) => eraseCustomer(tx, deps.secrets, { environment, at: call.at }, ref, callerOf(call))),
        );
        return { code: 200, message: 'Customer erased', body: { customer: presentCustomer(environment, erased) } };
      },
    }),
  ];
}
