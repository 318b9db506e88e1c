import { databaseChecks } from '../../platform/nodes/database-checks.ts';
import type { MetricsDeps } from './deps.ts';
import { type Family, gauge, type Sample } from './exposition.ts';

/** Returns the state of each database and of its circuit. */
export async function databaseFamilies({ stores, peers }: MetricsDeps): Promise<Family[]> {
  const checks = Object.entries(await databaseChecks(stores, peers));
  const degraded = checks.flatMap(([database, reason]): Sample[] => (reason === 'ok' ? [] : [[[database, reason], 1]]));
  const circuits = Object.entries(stores.circuits()).map(([database, state]): Sample => [[database, state], 1]);
  return [
    gauge('pirogue_degraded', 'Always 1: a database that is not as it should be.', ['database', 'reason'], degraded),
    gauge('pirogue_db_circuit', 'Always 1: the state of the circuit of a database.', ['database', 'state'], circuits),
  ];
}
