/** The cookies of one browser. Each is sent to the path that it was set for, and below. */
export class CookieJar {
  readonly #cookies = new Map<string, { name: string; value: string; path: string }>();

  set(name: string, value: string, path = '/'): void {
    if (value === '') this.#cookies.delete(`${name} ${path}`);
    else this.#cookies.set(`${name} ${path}`, { name, value, path });
  }

  /** Keeps what an answer sets. Each line is a Set-Cookie header. */
  keep(lines: readonly string[]): void {
    for (const line of lines) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      this.set(name, value, /;\s*path=([^;]*)/i.exec(line)?.[1]);
    }
  }

  /** Returns the header of a request for this path; none without cookies. */
  headerFor(path: string): { cookie?: string } {
    const sent = [...this.#cookies.values()].filter((cookie) => covers(cookie.path, path));
    return sent.length === 0 ? {} : { cookie: sent.map(({ name, value }) => `${name}=${value}`).join('; ') };
  }
}

function covers(path: string, asked: string): boolean {
  const plain = asked.split('?', 1)[0] as string;
  return plain === path || plain.startsWith(path.endsWith('/') ? path : `${path}/`);
}
