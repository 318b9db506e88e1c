import type { Counted } from './child/tally.ts';
import type { Options } from './options.ts';
import type { Point } from './rounds.ts';
import type { Service } from './service.ts';
import type { Stage } from './stage.ts';

export interface LoadPoint {
  id: string;
  label: string;
  service: Pick<Service, 'port' | 'pid'>;
  connections: number;
  /** Whole HTTP requests, taken in turn. */
  requests: string[];
  prepare(): Promise<void>;
}

/** A point at which the load generator asks a service; one answer that is not 2xx and the run is void. */
export function loadPoint(stage: Stage, { warm_seconds, seconds }: Options, point: LoadPoint): Point {
  const { id, label, service, connections, requests, prepare } = point;
  return {
    id,
    label,
    prepare,
    service_pid: service.pid,
    client_pid: stage.load.pid,
    run: async (started): Promise<Counted> => {
      const job = { port: service.port, connections, requests, warm_ms: warm_seconds * 1000, window_ms: seconds * 1000 };
      const { refused, example, ...counted } = await stage.load.run(job, job.warm_ms + job.window_ms + 60_000, started);
      if (example !== null) throw new Error(`${label}: refused ${JSON.stringify(refused)}, such as\n${example}`);
      return counted;
    },
  };
}
