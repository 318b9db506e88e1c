import { Failure } from './failure.ts';

export function noSuchTeam(id: bigint): Failure {
  return new Failure(`there is no team ${id}`, '"pirogue teams list" shows them.');
}
