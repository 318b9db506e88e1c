/** What the operating system reports about a file or folder that cannot be written or read, and what to do about it. */
const WORDS: Record<string, readonly [what: string, advice: string]> = {
  ENOSPC: ['no space is left on its disk', 'Free some space, or use another disk, then try again.'],
  EDQUOT: ['the disk quota is used up', 'Free some space, or use another disk, then try again.'],
  EROFS: ['its file system is read-only', 'Use a folder that can be written.'],
  EACCES: ['this user may not use it', 'Run this as the user who runs the service, or use another folder.'],
  EPERM: ['this user may not change it', 'Run this as the user who runs the service, or use another folder.'],
};

/** System calls on sockets and processes, which have some of the same codes. */
const OTHER_CALLS = /^(connect|listen|bind|getaddrinfo|kill|spawn)/;

/**
 * Returns a readable message and an advice for an error of a file or folder that only the operator can correct; undefined for any other
 * error.
 */
export function describeFileError(error: unknown): { message: string; advice: string } | undefined {
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) return undefined;
  const { code, syscall, path, dest } = error as NodeJS.ErrnoException & { dest?: string };
  const [what, advice] = WORDS[code ?? ''] ?? [];
  if (!what || !advice || OTHER_CALLS.test(syscall ?? '')) return undefined;
  // The error of a file that is open does not name it.
  return { message: `${dest ?? path ?? `a file (${syscall})`} cannot be used: ${what}`, advice };
}
