import { ENVIRONMENTS, type Environment } from '../../kit/environment.ts';
import { type IdPrefix, isId } from '../../kit/ids.ts';
import { UsageFailure } from './failure.ts';

/**
 * Returns the environment of an id.
 * @param kind what it has to be the id of, such as `a return`
 * @throws UsageFailure for any other text
 */
export function environmentOfId(prefix: IdPrefix, id: string, kind: string, advice: string): Environment {
  const environment = ENVIRONMENTS.find((one) => isId(prefix, one, id));
  if (environment) return environment;
  throw new UsageFailure(`${id} is not the id of ${kind}`, advice);
}
