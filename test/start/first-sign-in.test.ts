import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { after, test } from 'node:test';
import { newFolder, startProgram } from '../ops/program.ts';
import { freePort, until } from '../setup/api.ts';
import { cloneDatabases } from '../setup/databases.ts';

const MAIN = path.join(import.meta.dirname, '..', '..', 'src', 'main.ts');
const LINK = /http:\S+\/console\/link\/\S+/g;
/** The tool of util-linux that runs a command on a terminal. Other systems have one with other options. */
const terminal = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0;

const databases = await cloneDatabases();
/** Both starts are of one installation. */
const dataDir = newFolder();
after(() => databases.drop());

test('a start into a pipe prints no link that signs in', async () => {
  const program = await startProgram({ databases, dataDir, env: { LOG_FORMAT: 'pretty' } });
  await until(
    async () => program.log(),
    (log) => log.includes('Stop with Ctrl-C'),
  );
  assert.equal(await program.stop(), 0);
  assert.equal(LINK.test(program.log()), false);
});

const skip = terminal ? false : 'the tool "script" of util-linux is not here, so no terminal was tried';

test('a start on a terminal prints a link once, which opens the console and is not in the log', { skip }, async () => {
  const port = await freePort();
  const env = {
    ...process.env,
    ...{ DATA_DIR: dataDir, PORT: String(port), LOG_FORMAT: 'pretty', NO_COLOR: '1' },
    CONTROL_DATABASE_URL: databases.control,
    SANDBOX_DATABASE_URL: databases.sandbox,
    LIVE_DATABASE_URL: databases.live,
  };
  const child = spawn('script', ['-qec', `exec ${process.execPath} ${MAIN}`, '/dev/null'], {
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  after(() => child.kill());
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  await until(
    async () => text,
    (log) => log.includes('Stop with Ctrl-C'),
  );
  const [link = 'none'] = text.match(LINK) ?? [];
  const page = await fetch(link, { headers: { 'accept-language': 'en' } });
  assert.deepEqual([page.status, /signs you in as Demo owner/.test(await page.text())], [200, true]);
  // Not `exit`: its last lines may be read after that.
  const ended = once(child, 'close');
  child.stdin.write('\u0003');
  await ended;
  assert.equal(text.match(LINK)?.length, 1);
  assert.match(text, /GET \/console\/link\/\[token\] 200/);
});
