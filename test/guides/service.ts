import fs from 'node:fs';
import path from 'node:path';
import { type DbPool, openPool } from '../../src/platform/db/pool.ts';
import { type Environment, ENVIRONMENTS } from '../../src/kit/environment.ts';
import { createLog } from '../../src/kit/log.ts';
import { newKey, storeKey } from '../../src/tenants/keys/service.ts';
import type { KeysFile } from '../../src/program/start/demo.ts';
import { createTeam } from '../../src/tenants/teams/service.ts';
import { newFolder, type Program, startProgram } from '../ops/program.ts';
import { cloneDatabases, type Databases } from '../setup/databases.ts';

/** The program as `npm start` runs it, one for all guides; each of them is told to be its first team. */
export class Service {
  readonly url: string;
  readonly databases: Databases;
  readonly #program: Program;
  readonly #control: DbPool;
  readonly #dataDir: string;

  static async start(): Promise<Service> {
    const dataDir = newFolder();
    const databases = await cloneDatabases();
    try {
      return new Service(await startProgram({ dataDir, databases }), databases, dataDir);
    } catch (error) {
      await databases.drop();
      throw error;
    }
  }

  private constructor(program: Program, databases: Databases, dataDir: string) {
    this.url = program.url;
    this.databases = databases;
    this.#program = program;
    this.#dataDir = dataDir;
    this.#control = openPool({ url: databases.control, size: 1, log: createLog({ level: 'silent', format: 'json' }) });
  }

  /** Makes a DATA_DIR for the command line, with a team that has done nothing yet. */
  async furnish(folder: string): Promise<void> {
    fs.mkdirSync(folder);
    fs.copyFileSync(path.join(this.#dataDir, 'secrets.key'), path.join(folder, 'secrets.key'));
    const team = await createTeam(this.#control, { name: 'Demo shop', email: 'owner@demo.example' });
    const [sandbox, live] = await Promise.all(ENVIRONMENTS.map((environment) => this.#keysOf(team.id, environment)));
    const keys = { base_url: this.url, team: String(team.id), sandbox, live } as KeysFile;
    fs.writeFileSync(path.join(folder, 'keys.json'), JSON.stringify(keys));
  }

  async #keysOf(team_id: bigint, environment: Environment): Promise<Record<string, string>> {
    const options = { team_id, environment, scopes: [], allowed_ips: [], expires_at: null };
    const keys: Record<string, string> = {};
    for (const kind of ['public', 'secret'] as const) {
      keys[kind] = newKey(kind, environment);
      await storeKey(this.#control, keys[kind], { ...options, kind }, new Date());
    }
    return keys;
  }

  async stop(): Promise<void> {
    await Promise.all([this.#program.stop(), this.#control.close()]);
    await this.databases.drop();
    fs.rmSync(this.#dataDir, { recursive: true, force: true });
  }
}
