import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Running, type Spec, startProcess } from './processes.ts';

/** Addresses for tests of networks (RFC 2544): no host of the world has one. They exist in the namespaces of the run only. */
const RANGE = '198.18.0.0/16';

/** Where the parts listen. */
export interface Network {
  /** Address of everything but the members of PostgreSQL, as the members reach it. */
  hub: string;
  /** Where from and where to the servers of PostgreSQL accept connections. */
  range: string;
  members: Member[];
}

export interface Member {
  name: string;
  host: string;
  /** Process that keeps the member's network namespace; null: the member shares the network of the machine. */
  holder: Running | null;
}

const COUNT = 3;
const NAMES = Array.from({ length: COUNT }, (_, i) => `db${i + 1}`);
/** Set in the process that {@link enterNamespace} starts. */
const INSIDE = 'PIROGUE_CLUSTER_NAMESPACE';
/** A namespace of a run that was killed does not stay for ever. */
const HOLD_S = 86_400;

/** Every part on an address of the loopback interface. */
export function loopbackNetwork(): Network {
  const members = NAMES.map((name, i) => ({ name, host: `127.0.77.${i + 1}`, holder: null }));
  return { hub: '127.0.0.1', range: '127.0.0.0/8', members };
}

/**
 * Every member on a network of its own, joined by a pair of virtual interfaces with the others, so that it can be cut off. Works
 * only in a process that {@link enterNamespace} has started.
 */
export async function separateNetworks(folder: string): Promise<Network> {
  if (!isInNamespace()) throw new Error('the networks of the members belong into a network namespace');
  run(['ip', 'link', 'set', 'lo', 'up']);
  run(['ip', 'address', 'replace', '198.18.0.1/32', 'dev', 'lo']);
  fs.writeFileSync('/proc/sys/net/ipv4/ip_forward', '1');
  const members: Member[] = [];
  for (const [i, name] of NAMES.entries()) members.push({ name, ...(await separateMember(name, i + 1, folder)) });
  return { hub: '198.18.0.1', range: RANGE, members };
}

async function separateMember(name: string, number: number, folder: string): Promise<Pick<Member, 'host' | 'holder'>> {
  const spec: Spec = {
    ...{ name: `network-${name}`, kind: 'namespace', env: {}, cwd: folder, address: '' },
    command: ['/usr/bin/unshare', '--net', '/bin/sleep', String(HOLD_S)],
    log: `${folder}/logs/network.log`,
  };
  const holder = startProcess(spec);
  const [own, hub] = [fs.readlinkSync('/proc/self/ns/net'), `198.18.${number}.1`];
  for (let tries = 0; namespaceOf(holder.pid) === own; tries++) {
    if (tries > 100) throw new Error(`${name}: a network namespace could not be made`);
    await sleep(20);
  }
  run(['ip', 'link', 'add', name, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', String(holder.pid)]);
  run(['ip', 'address', 'add', `${hub}/24`, 'dev', name]);
  run(['ip', 'link', 'set', name, 'up']);
  const member = { host: `198.18.${number}.2`, holder };
  run([...enterMember(member), 'ip', 'link', 'set', 'lo', 'up']);
  run([...enterMember(member), 'ip', 'address', 'add', `${member.host}/24`, 'dev', 'eth0']);
  connectMember(member);
  return member;
}

/** Returns the command prefix that runs a program in the network of a member. */
export function enterMember({ holder }: Pick<Member, 'holder'>): string[] {
  return holder === null ? [] : ['nsenter', `--net=/proc/${holder.pid}/ns/net`, '--'];
}

/** Pulls the cable: the member reaches nobody, and for the others it falls silent. */
export function cutMember(member: Pick<Member, 'holder' | 'host'>): void {
  if (!member.holder) throw new Error('this cluster shares the network of the machine: a member cannot be cut off');
  run([...enterMember(member), 'ip', 'link', 'set', 'eth0', 'down']);
}

export function connectMember(member: Pick<Member, 'holder' | 'host'>): void {
  run([...enterMember(member), 'ip', 'link', 'set', 'eth0', 'up']);
  run([...enterMember(member), 'ip', 'route', 'replace', 'default', 'via', member.host.replace(/\d+$/, '1')]);
}

export function isInNamespace(): boolean {
  return process.env[INSIDE] === '1';
}

/**
 * Returns the command prefix that starts this program again in a network namespace of its own; or why that is impossible
 * here.
 */
export function namespacePrefix(): { prefix: string[] } | { reason: string } {
  const ways = [
    ['unshare', '--net', '--mount'],
    ['unshare', '--user', '--map-root-user', '--net', '--mount'],
  ];
  // A pair of interfaces is tried too: some kernels have namespaces without them.
  const trial = ['sh', '-c', 'ip link add trial0 type veth peer name trial1 && ip link set lo up && unshare --net true'];
  for (const way of ways) {
    if (spawnSync(way[0] as string, [...way.slice(1), ...trial], { stdio: 'ignore' }).status === 0) {
      return { prefix: ['env', `${INSIDE}=1`, ...way, '--'] };
    }
  }
  return {
    reason: 'this kernel or account allows no network namespace with virtual interfaces (unshare --net, ip link add type veth)',
  };
}

function namespaceOf(pid: number): string | null {
  try {
    return fs.readlinkSync(`/proc/${pid}/ns/net`);
  } catch {
    return null;
  }
}

function run(command: string[]): void {
  const [program, ...args] = command as [string, ...string[]];
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command.join(' ')}: ${error?.message ?? stderr.trim()}`);
}
