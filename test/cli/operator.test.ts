import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newId } from '../../src/kit/ids.ts';
import { type CommandLine, openCommandLine, pirogue } from './command.ts';

let cli: CommandLine;
let team: string;
before(async () => {
  cli = await openCommandLine();
  team = (await cli.json('teams', 'create', '--name', 'Chez Awa', '--email', 'awa@shop.example')).id;
});
after(() => cli.close());

/** As for a user without an entry in /etc/passwd, which containers often have. */
const NAMELESS = `--import=data:text/javascript,${encodeURIComponent(
  "import os from 'node:os'; os.userInfo = () => { throw new Error('no such user'); };",
)}`;

const EVIDENCE = ['--evidence', 'statement of 21 November, line 3'];
const COMMANDS: string[][] = [
  ['resolve', newId('att', 'live', 1), '--as', 'failed', ...EVIDENCE],
  ['breaks', 'settle', newId('rec', 'live', 1), '1', '--as', 'platform', ...EVIDENCE],
  ['returns', 'resolve', newId('rtn', 'live', 1), ...EVIDENCE],
  ['disputes', 'open', newId('trx', 'live', 1), ...EVIDENCE],
  ['compliance', 'approve', newId('cus', 'live', 1)],
];

for (const args of COMMANDS) {
  test(`${args[0]} works for a user without a name, too`, async () => {
    const { code, stderr } = await pirogue([...args, '--team', team], { ...cli.env, SUDO_USER: '', NODE_OPTIONS: NAMELESS });
    assert.equal(code, 1);
    assert.match(stderr, /not found/i);
    assert.doesNotMatch(stderr, /internal error/);
  });
}
