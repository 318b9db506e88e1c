import { createServer, type Socket } from 'node:net';

/** One mail as it came in. */
export interface Delivered {
  from: string;
  to: string;
  /** Header lines and text as sent, dots unstuffed. */
  raw: string;
}

/** What the server does at a command: a reply instead of its own, `silent`, or `hang up`. `RECEIVED` comes after the mail. */
export type Script = Partial<Record<'GREETING' | 'EHLO' | 'AUTH' | 'MAIL' | 'RCPT' | 'DATA' | 'RECEIVED', string>>;

export interface SmtpServer {
  url: string;
  mails: Delivered[];
  script: Script;
  /** What clients said, line by line; without the text of mails. */
  heard: string[];
  close(): Promise<void>;
}

/** A mail server that takes everything unless told otherwise. */
export async function startSmtpServer(): Promise<SmtpServer> {
  const sockets = new Set<Socket>();
  const state: Omit<SmtpServer, 'close' | 'url'> = { mails: [], script: {}, heard: [] };
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    converse(state, socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return Object.assign(state, {
    url: `smtp://127.0.0.1:${port}`,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  });
}

function converse(state: Pick<SmtpServer, 'mails' | 'script' | 'heard'>, socket: Socket): void {
  let buffered = '';
  let text: string[] | null = null;
  let mail = { from: '', to: '' };
  const say = (step: keyof Script, usual: string) => {
    const reply = state.script[step] ?? usual;
    if (reply === 'hang up') socket.destroy();
    else if (reply !== 'silent') socket.write(`${reply}\r\n`);
  };
  const line = (said: string) => {
    if (text) {
      if (said !== '.') return void text.push(said.replace(/^\.\./, '.'));
      state.mails.push({ ...mail, raw: text.join('\r\n') });
      text = null;
      return say('RECEIVED', '250 taken');
    }
    state.heard.push(said);
    const [command = ''] = said.toUpperCase().split(/[ :]/);
    if (command === 'EHLO') say('EHLO', state.script.AUTH ? '250-test\r\n250 AUTH PLAIN' : '250 test');
    else if (command === 'AUTH') say('AUTH', '235 welcome');
    else if (command === 'MAIL') {
      mail = { from: addressIn(said), to: '' };
      say('MAIL', '250 ok');
    } else if (command === 'RCPT') {
      mail.to = addressIn(said);
      say('RCPT', '250 ok');
    } else if (command === 'DATA') {
      if (!state.script.DATA) text = [];
      say('DATA', '354 go on');
    } else if (command === 'QUIT') socket.end('221 bye\r\n');
    else socket.write('250 ok\r\n');
  };
  say('GREETING', '220 test');
  socket.setEncoding('utf8').on('data', (chunk) => {
    const lines = (buffered + chunk).split('\r\n');
    buffered = lines.pop() ?? '';
    lines.forEach(line);
  });
}

function addressIn(said: string): string {
  return /<([^>]*)>/.exec(said)?.[1] ?? '';
}

/** A mail as its reader sees it: headers by lower-case name, text decoded. */
export function read(raw: string): { headers: Record<string, string>; text: string } {
  const [head = '', ...rest] = raw.split('\r\n\r\n');
  const headers = Object.fromEntries(
    head
      .replace(/\r\n[ \t]+/g, ' ')
      .split('\r\n')
      .map((field) => [field.slice(0, field.indexOf(':')).toLowerCase(), decodeWords(field.slice(field.indexOf(':') + 2))]),
  );
  const body = rest.join('\r\n\r\n');
  const encoding = headers['content-transfer-encoding'] ?? '7bit';
  return { headers, text: decodeText(body, encoding).replaceAll('\r\n', '\n') };
}

function decodeText(body: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8');
  return encoding === 'quoted-printable' ? unquote(body.replace(/=\r\n/g, '')) : body;
}

function unquote(text: string): string {
  const bytes = text.replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

function decodeWords(value: string): string {
  return value
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?(q|b)\?([^?]*)\?=/gi, (_, kind, word) =>
      kind.toLowerCase() === 'b' ? Buffer.from(word, 'base64').toString('utf8') : unquote(word.replaceAll('_', ' ')),
    );
}
