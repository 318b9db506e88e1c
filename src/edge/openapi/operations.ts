import type { Route } from '../../tenants/api/route.ts';
import { bodyExamples } from './examples/bodies.ts';
import { operationIdOf, pascal } from './operation-id.ts';
import { parametersOf } from './parameters.ts';
import { responsesOf, type SharedResponses } from './responses.ts';
import type { Schemas } from './schemas.ts';
import type { Operation } from './types.ts';

/** Builds one operation of the document from its route. */
export function operationOf(route: Route, schemas: Schemas, shared: SharedResponses): Operation {
  const operationId = operationIdOf(route);
  return {
    operationId,
    summary: route.summary,
    description: descriptionOf(route),
    tags: [tagOf(route.path)],
    security: securityOf(route),
    'x-scope': route.scope,
    'x-access': route.access,
    ...(route.liveOnly ? { 'x-live-only': true } : {}),
    parameters: parametersOf(route, schemas),
    ...(route.body
      ? {
          requestBody: {
            required: true,
            content: { 'application/json': { schema: schemas.of(route.body), examples: bodyExamples(operationId) } },
          },
        }
      : {}),
    responses: responsesOf(route, schemas, shared),
  };
}

/** Returns the tag of a path: `/payments/:id/refunds` belongs to Payments. */
export function tagOf(path: string): string {
  return pascal(path.split('/')[1] ?? '');
}

function descriptionOf({ description, summary, access, scope, liveOnly, sandboxOnly }: Route): string {
  const keys = access === 'public' ? 'Any key' : 'A secret key';
  const only = liveOnly ? ' Live keys only.' : sandboxOnly ? ' Sandbox keys only.' : '';
  const needs = `${keys}, or a restricted one with \`${scope}\`.${only}`;
  return `${description ?? `${summary}.`}\n\n${needs}`;
}

/** Lists the accepted keys; a restricted key needs the scope. */
function securityOf({ access, scope }: Route): Record<string, string[]>[] {
  const secret = [{ secretKey: [] }, { restrictedKey: [scope] }];
  return access === 'public' ? [{ publicKey: [] }, ...secret] : secret;
}
