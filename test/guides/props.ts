import fs from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { must } from '../../src/kit/errors.ts';
import { TWINS } from '../../twins/catalogue.ts';
import { startTwin } from '../../twins/kit/twin.ts';
import type { Stage } from './stage.ts';

export interface Prop {
  close(): Promise<void>;
}

/** What a guide takes for granted that its reader has, besides the service. */
export const PROPS: Record<string, (stage: Stage) => Promise<Prop>> = {
  /** A contract with two providers: the files with their credentials lead to twins. */
  'going-live.md': async ({ folder }) => {
    const twins = await Promise.all(
      ['pawapay', 'mtn-momo'].map(async (name) => {
        const kind = must(
          TWINS.find((twin) => twin.name === name),
          `${name} has a twin`,
        );
        const twin = await startTwin(kind, { delay_ms: 20, slow_ms: 100, lag_ms: 500 });
        fs.writeFileSync(path.join(folder, `${name}.json`), JSON.stringify(twin.credentials));
        return twin;
      }),
    );
    return {
      close: async () => {
        await Promise.all(twins.map((twin) => twin.stop()));
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
