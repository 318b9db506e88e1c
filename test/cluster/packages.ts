import { findPrograms, missingText } from '../../cluster/packages.ts';

/** Why tests that start a cluster are skipped, for `{ skip }`. With PIROGUE_CLUSTER_TESTS=required they fail instead. */
export function noCluster(): string | false {
  const { missing } = findPrograms();
  if (process.platform === 'linux' && missing.length === 0) return false;
  const how = process.platform === 'linux' ? missingText(missing) : 'a cluster needs Linux';
  if (process.env.PIROGUE_CLUSTER_TESTS === 'required') throw new Error(how);
  console.error(`SKIP  several nodes of everything are not tested: ${how}`);
  return how;
}
