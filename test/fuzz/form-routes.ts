import { buildApi, allRoutes } from '../../src/program/program.ts';
import type { Deps } from '../../src/program/deps.ts';

/** Paths of the service that take callbacks of providers and not forms. */
const CALLBACKS = '/_callbacks/';
/** Statuses with which a page rejects a post before the check of its form, or by it. */
const BEFORE_FORM = new Set([400, 403, 404, 405, 413, 415, 429]);

/** Counts the posts of each form that came past its check, so that a run shows whether the code behind the forms ran at all. */
export class FormRoutes {
  readonly #routes: { path: string; pattern: RegExp; passed: number; accepted: number }[];

  /** @param paths with parameters, such as `/pay/:token/otp` */
  constructor(paths: readonly string[]) {
    const parameters = (path: string) => path.split(':').length;
    this.#routes = [...paths]
      // A path without parameters is meant before one that has them.
      .sort((a, b) => parameters(a) - parameters(b))
      .map((path) => ({ path, pattern: patternOf(path), passed: 0, accepted: 0 }));
  }

  /** Counts an answer to a post. */
  count(path: string, status: number): void {
    const plain = path.split('?', 1)[0] as string;
    const route = this.#routes.find(({ pattern }) => pattern.test(plain));
    if (!route) return;
    // The console looks for the object after the check; the other pages do before it.
    const unknownObject = status === 404 && route.path.startsWith('/console/');
    const failed = status >= 500 && status !== 501;
    if (!failed && (unknownObject || !BEFORE_FORM.has(status))) route.passed++;
    if (status < 400) route.accepted++;
  }

  /** Routes of which no post came past the check of the form. */
  get neverPassed(): string[] {
    return this.#routes.filter(({ passed }) => passed === 0).map(({ path }) => path);
  }

  /** Routes of which no post was done. */
  get neverAccepted(): string[] {
    return this.#routes.filter(({ accepted }) => accepted === 0).map(({ path }) => path);
  }

  /** How many posts of each route came past the check and how many were done. */
  get lines(): string[] {
    return this.#routes.map(({ path, passed, accepted }) => `${path} ${passed} (${accepted} done)`);
  }
}

/** Returns the expression of a path's parameters. */
export function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/:\w+/g, '([^/]+)')}$`);
}

/** Returns the routes of all pages that take forms, from the service itself: a new page cannot be left out. */
export async function formRoutesOf(deps: Deps): Promise<string[]> {
  const operations = new Set(allRoutes(deps).map(({ path }) => path));
  const paths = new Set<string>();
  const app = buildApi(deps, []);
  app.addHook('onRoute', ({ method, url }) => {
    // What takes every method is the notice of an unknown path.
    if (method === 'POST' && !operations.has(url) && !url.startsWith(CALLBACKS)) paths.add(url);
  });
  await app.ready();
  return [...paths].sort();
}
