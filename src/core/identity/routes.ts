import { type Route, route } from '../../tenants/api/route.ts';
import { envelopeSchema } from '../../kit/envelope.ts';
import { identityReply, resolveBody } from './schema.ts';
import { checkResolve, resolveIdentity } from './service.ts';

/** The route that returns the account holder of a number. */
export function identityRoutes(): Route[] {
  return [
    route({
      method: 'POST',
      path: '/identity/resolve',
      summary: 'Resolve an identity',
      description:
        'Returns the name of the holder of a number or account, before money is sent there. Sandbox only: the last six digits ' +
        'select the result; 000002 and 000003 have no holder.',
      operation_id: 'resolveIdentity',
      access: 'private',
      scope: 'identity.read',
      sandboxOnly: true,
      problems: ['channel_not_supported', 'not_in_live'],
      body: resolveBody,
      check: checkResolve,
      replies: { 200: envelopeSchema({ identity: identityReply }) },
      handle: async ({ body }) => {
        const identity = resolveIdentity(body);
        return { code: 200, message: identity.resolved ? 'Identity resolved' : 'Identity not resolved', body: { identity } };
      },
    }),
  ];
}
