import { type Route, route } from '../../tenants/api/route.ts';
import { envelopeSchema } from '../../kit/envelope.ts';
import { identityReply, resolveBody } from './schema.ts';
import { resolveIdentity } from './service.ts';

export function identityRoutes(): Route[] {
  return [
    route({
      method: 'POST',
      path: '/identity/resolve',
      summary: 'Resolve an identity',
      description:
        'Tells under which name a number or account is held, before money is sent there. Sandbox only: the last six digits ' +
        'decide, 000002 and 000003 are held by nobody.',
      operation_id: 'resolveIdentity',
      access: 'private',
      scope: 'identity.read',
      sandboxOnly: true,
      problems: ['channel_not_supported', 'not_in_live'],
      body: resolveBody,
      replies: { 200: envelopeSchema({ identity: identityReply }) },
      handle: async ({ body }) => {
        const identity = resolveIdentity(body);
        return { code: 200, message: identity.resolved ? 'Identity resolved' : 'Identity not resolved', body: { identity } };
      },
    }),
  ];
}
