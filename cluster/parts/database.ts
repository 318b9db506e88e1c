import fs from 'node:fs';
import path from 'node:path';
import { type Account, give } from '../account.ts';
import { enterMember, type Member, type Network } from '../network.ts';
import { rowsOf, withDatabase } from '../observer.ts';
import type { Programs } from '../packages.ts';
import { type Running, type Spec, tailOf } from '../processes.ts';
import { type MemberAddress, portOf, type State, type Urls } from '../state.ts';
import { fillTemplate, templateText } from '../templates.ts';
import { ask, until } from '../wait.ts';

const START_MS = 90_000;
/** A process opens three pools and one connection more for each database, and one for the clock. */
const MAX_CONNECTIONS = 220;
/** haproxy gives connections to its servers in turn. */
const MIN_CHECKS = 4;

/** What a part needs to be started. */
export interface Site {
  state: State;
  network: Network;
  account: Account;
  programs: Programs;
  launch(spec: Spec): Running;
}

/** Variables of the caller's shell that change how servers work are left out. */
export const SERVER_ENV = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LANG: 'C.UTF-8', HOME: '/' };

export async function startEtcd({ state, network, account, programs, launch }: Site): Promise<void> {
  const [client, peer] = [portOf(state, 'etcd'), portOf(state, 'etcd-peer')];
  const data = folderOf(state, account, 'etcd');
  const own = `http://${network.hub}:${client}`;
  const peers = `http://127.0.0.1:${peer}`;
  const settings = {
    ...{ name: 'etcd', 'data-dir': data, 'log-level': 'warn' },
    ...{ 'listen-client-urls': own, 'advertise-client-urls': own },
    ...{ 'listen-peer-urls': peers, 'initial-advertise-peer-urls': peers, 'initial-cluster': `etcd=${peers}` },
  };
  const command = [programs.etcd, ...Object.entries(settings).map(([name, value]) => `--${name}=${value}`)];
  const running = launch(
    serverSpec(state, account, { name: 'etcd', kind: 'etcd', command, address: `${network.hub}:${client}` }),
  );
  await until(
    () => `etcd is healthy\n${tailOf(running.log)}`,
    START_MS,
    async () => (await ask(`${own}/health`))?.text.includes('true') ?? false,
  );
}

/** Starts the members: the first makes the database, the others copy it. */
export async function startMembers(site: Site): Promise<void> {
  const [first, ...others] = site.network.members as [Member, ...Member[]];
  startMember(site, first);
  await until(
    () => `${first.name} is the primary\n${tailOf(logOf(site.state, first.name))}`,
    START_MS,
    () => primaryOf(site.state),
  );
  for (const member of others) startMember(site, member);
  await untilHealthy(site.state);
}

export function startMember({ state, network, account, programs, launch }: Site, member: Member): void {
  const { name, host } = member;
  const address = memberOf(state, name);
  const file = path.join(state.folder, `${name}.yml`);
  const { passwords } = state.choices;
  const text = fillTemplate('patroni.yml', {
    ...{ NAME: name, HOST: host, PORT: address.port, REST_PORT: address.rest_port, FOLDER: folderOf(state, account, 'patroni') },
    ...{ ETCD: `${network.hub}:${portOf(state, 'etcd')}`, NETWORK: network.range, BIN_DIR: programs.postgres },
    ...{ DATA_DIR: path.join(folderOf(state, account, name), 'data'), SOCKETS: folderOf(state, account, name) },
    ...{
      SUPERUSER_PASSWORD: passwords.superuser,
      REPLICATION_PASSWORD: passwords.replication,
      REWIND_PASSWORD: passwords.rewind,
    },
    ...{ MAX_CONNECTIONS, SHARED_BUFFERS: '128MB', WATCHDOG: 'off' },
  });
  writeFor(account, file, text);
  const command = [programs.patroni, file];
  launch(serverSpec(state, account, { name, kind: 'patroni', command, address: `${host}:${address.port}` }, enterMember(member)));
}

/** Returns the member that serves writes, by its own report; null while there is none. */
export async function primaryOf(state: Pick<State, 'members'>): Promise<MemberAddress | null> {
  const answers = await Promise.all(
    state.members.map((member) => ask(`http://${member.host}:${member.rest_port}/primary`, 1_000)),
  );
  return state.members.find((_, i) => answers[i]?.status === 200) ?? null;
}

/** What Patroni reports of a member. */
export interface MemberReport {
  name: string;
  role: string;
  state: string;
  timeline?: number;
}

/** Returns the members as one of them reports them; empty when none answers. */
export async function membersOf(state: Pick<State, 'members'>): Promise<MemberReport[]> {
  for (const { host, rest_port } of state.members) {
    const answer = await ask(`http://${host}:${rest_port}/cluster`, 2_000);
    if (answer?.status === 200) return (JSON.parse(answer.text) as { members: MemberReport[] }).members;
  }
  return [];
}

/** Waits for a primary with a synchronous and an asynchronous standby, all on one timeline. */
export async function untilHealthy(state: State, timeout_ms = START_MS): Promise<void> {
  let last: MemberReport[] = [];
  const logs = () => state.members.map(({ name }) => `${name}: ${tailOf(logOf(state, name), 800)}`).join('\n');
  await until(
    () => `three members in order: ${JSON.stringify(last)}\n${logs()}`,
    timeout_ms,
    async () => {
      last = await membersOf(state);
      const has = (role: string) => last.some((member) => member.role === role && /^(running|streaming)$/.test(member.state));
      const timelines = new Set(last.map(({ timeline }) => timeline));
      return (
        last.length === state.members.length && has('leader') && has('sync_standby') && has('replica') && timelines.size === 1
      );
    },
  );
}

/** Creates roles and databases, unless they exist. */
export async function createRoles(state: State): Promise<void> {
  const { passwords } = state.choices;
  const url = `postgresql://postgres:${passwords.superuser}@127.0.0.1:${portOf(state, 'database')}/postgres`;
  // haproxy takes every server for the primary until it has checked it.
  await until('the balancer leads to the primary', START_MS, () => leadsToPrimary(url));
  const known = await rowsOf(url, `select 1 from pg_database where datname = 'pirogue_live'`);
  if (known.length > 0) return;
  const roles = fillTemplate('roles.sql', { OWNER_PASSWORD: passwords.owner, SERVICE_PASSWORD: passwords.service });
  await withDatabase(url, async (client) => {
    // One by one: `create database` must not be in a transaction.
    for (const statement of `${roles}\n${templateText('pgbouncer.sql')}`.split(';\n').filter((text) => text.trim() !== '')) {
      await client.query(statement);
    }
  });
}

async function leadsToPrimary(url: string): Promise<boolean> {
  try {
    for (let tries = 0; tries < MIN_CHECKS; tries++) {
      const [row] = await rowsOf<{ standby: boolean }>(url, 'select pg_is_in_recovery() as standby');
      if (row?.standby !== false) return false;
    }
    return true;
  } catch {
    return false; // no server yet
  }
}

/** Returns the URLs of the three databases for one login. */
export function urlsOf(state: Pick<State, 'choices'>, login: 'owner' | 'service', address: string): Urls {
  const url = (database: string) =>
    `postgresql://pirogue_${login}:${state.choices.passwords[login]}@${address}/pirogue_${database}`;
  return { control: url('control'), sandbox: url('sandbox'), live: url('live') };
}

export function memberOf({ members }: Pick<State, 'members'>, name: string): MemberAddress {
  const member = members.find((one) => one.name === name);
  if (!member) throw new Error(`the cluster has no member named ${name}`);
  return member;
}

/** Completes the specification of a server that runs under the account of servers. */
export function serverSpec(
  state: State,
  account: Account,
  part: Pick<Spec, 'name' | 'kind' | 'command' | 'address'>,
  enter: readonly string[] = [],
): Spec {
  return {
    ...part,
    command: [...enter, ...account.prefix, ...part.command],
    env: SERVER_ENV,
    cwd: state.folder,
    log: logOf(state, part.name),
  };
}

export function logOf(state: Pick<State, 'folder'>, name: string): string {
  return path.join(state.folder, 'logs', `${name}.log`);
}

/** Makes a folder that only the account of servers may enter. */
export function folderOf(state: State, account: Account, name: string): string {
  const folder = path.join(state.folder, name);
  if (!fs.existsSync(folder)) {
    fs.mkdirSync(folder, { mode: 0o700 });
    give(account, folder);
  }
  return folder;
}

/** Writes a file with passwords, for the account of servers alone. */
export function writeFor(account: Account, file: string, text: string): void {
  fs.writeFileSync(file, text, { mode: 0o600 });
  give(account, file);
}
