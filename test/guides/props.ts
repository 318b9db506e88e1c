import fs from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { must } from '../../src/kit/errors.ts';
import { SIMULATORS } from '../../simulators/catalogue.ts';
import { startSimulator } from '../../simulators/kit/simulator.ts';
import type { Stage } from './stage.ts';

export interface Prop {
  close(): Promise<void>;
}

/** What a guide takes for granted that its reader has, besides the service. */
export const PROPS: Record<string, (stage: Stage) => Promise<Prop>> = {
  /** A contract with two providers: the files with their credentials lead to simulators. */
  'going-live.md': async ({ folder }) => {
    const simulators = await Promise.all(
      ['pawapay', 'mtn-momo'].map(async (name) => {
        const kind = must(
          SIMULATORS.find((simulator) => simulator.name === name),
          `${name} has a simulator`,
        );
        const simulator = await startSimulator(kind, { delay_ms: 20, slow_ms: 100, lag_ms: 500 });
        fs.writeFileSync(path.join(folder, `${name}.json`), JSON.stringify(simulator.credentials));
        return simulator;
      }),
    );
    return {
      close: async () => {
        await Promise.all(simulators.map((simulator) => simulator.stop()));
      },
    };
  },
  /** A shop on this machine that takes every event. */
  'testing-in-sandbox.md': async (stage) => {
    const shop = createServer((request, response) => void request.resume().on('end', () => response.end()));
    await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve));
    stage.place('http://localhost:3000', `http://127.0.0.1:${(shop.address() as { port: number }).port}`);
    return {
      close: async () => {
        shop.close();
        shop.closeAllConnections();
      },
    };
  },
};
