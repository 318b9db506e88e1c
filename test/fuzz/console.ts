import type { ConsolePage } from '../../src/edge/console/page.ts';
import { CookieJar } from '../setup/cookie-jar.ts';
import { formsOf, type HtmlForm } from '../setup/html-forms.ts';
import { filled, text } from './fill.ts';
import { type FormRoutes, patternOf } from './form-routes.ts';
import type { Visitor } from './payer.ts';
import type { Memory } from './requests.ts';
import type { Received, Sender } from './sender.ts';
import type { Random } from './values.ts';

/** Pages on which a person changes what the other requests of the run need: keys, people and settings. */
const OWN_TEAM = /^\/(?:developers\/keys|people|settings|approvals)/;
/** Parameters of lists and exports, also of pages that have none. */
const QUERY = ['cursor', 'q', 'from', 'to', 'status', 'currency', 'page', 'day', 'account', 'lang', 'sort'];
/** Forms of the frame; the turns reach them, too. */
const OF_EVERY_PAGE = new Set(['/console/sign-out', '/console/language']);
const FORM = 'application/x-www-form-urlencoded';
/** Number of paths that are remembered for each place in a path. */
const KEPT = 30;

/** Whose console it is. */
export interface ConsoleTeams {
  /** The team of the other requests. */
  shop: string;
  /** A team of which nothing else depends on its keys and people. */
  own: string;
  /** Returns the session cookie of a person who owns both. */
  signIn(): Promise<{ name: string; value: string }>;
}

/** Somebody at the console: opens every page in turn with odd parameters, and sends every form. */
export class FuzzConsole {
  readonly #sender: Sender;
  readonly #random: Random;
  readonly #memory: Memory;
  readonly #forms: FormRoutes;
  readonly #teams: ConsoleTeams;
  readonly #addresses: readonly string[];
  readonly #pages: Turns;
  readonly #actions: Turns;
  /** Routes that the sandbox rejects. */
  readonly #liveOnly: ReadonlySet<string>;
  readonly #patterns: { path: string; pattern: RegExp; names: string[] }[];
  /** What stood at a place of a path, by the team and environment, such as `12/live /console/:team/:environment/payments/:id`. */
  readonly #seen = new Map<string, string[]>();
  /** Where a form was seen: the path of its page, by the route that takes it. */
  readonly #shownAt = new Map<string, string>();
  #jar = new CookieJar();
  #signedIn = false;
  /** Hidden fields of a form that was shown last. */
  #token: [string, string][] = [];

  constructor({ sender, random, memory, forms, addresses }: Visitor, pages: readonly ConsolePage[], teams: ConsoleTeams) {
    this.#sender = sender;
    this.#random = random;
    this.#memory = memory;
    this.#forms = forms;
    this.#addresses = addresses;
    this.#teams = teams;
    const of = (method: string) => [...new Set(pages.filter((page) => page.method === method).map(fullPath))];
    this.#pages = new Turns(of('GET'), random, () => []);
    const actions = of('POST');
    // What came past no check in one turn is sent again in the next.
    this.#actions = new Turns(actions, random, () => forms.neverPassed.filter((path) => actions.includes(path)));
    this.#liveOnly = new Set(pages.filter((page) => page.who === 'team' && page.liveOnly).map(fullPath));
    this.#patterns = [...new Set(pages.map(fullPath))].map((path) => {
      const names = [...path.matchAll(/:\w+/g)].map((match) => path.slice(0, match.index + match[0].length));
      return { path, pattern: patternOf(path), names };
    });
  }

  /** Opens the next page, or sends the next form. */
  async visit(): Promise<void> {
    const random = this.#random;
    this.#memory.caller = random.of(['sandbox', 'live']);
    if (!this.#signedIn) await this.#signIn();
    if (random.chance(0.6)) return this.#act(this.#actions.next());
    const answer = await this.#open(this.#filledPath(this.#pages.next()), random.chance(0.5));
    const forms = postsOf(answer).filter(({ action }) => !OF_EVERY_PAGE.has(action));
    if (forms.length > 0 && random.chance(0.4)) await this.#submit(random.of(forms));
  }

  async #signIn(): Promise<void> {
    this.#jar = new CookieJar();
    const { name, value } = await this.#teams.signIn();
    this.#jar.set(name, value);
    this.#signedIn = true;
    await this.#open(`/console/${this.#teams.shop}/sandbox`, false);
  }

  /** Sends the form of a route from a page that shows it; where none has been seen, with the token of another form. */
  async #act(route: string): Promise<void> {
    const random = this.#random;
    const page = this.#shownAt.get(route);
    const pattern = patternOf(route);
    const forms = page === undefined ? [] : postsOf(await this.#open(page, false));
    const form = forms.find(({ action }) => pattern.test(plain(action)));
    if (form && random.chance(0.8)) return this.#submit(form);
    const fields = (form?.fields ?? ['amount', 'name', 'reason', 'email', 'id'].map(textField)).filter(() => random.chance(0.8));
    await this.#submit({ method: 'post', action: this.#filledPath(route), hidden: this.#token, fields });
  }

  async #open(path: string, odd: boolean): Promise<Received> {
    const query = odd ? this.#query() : '';
    const answer = await this.#ask('GET', path.includes('?') ? path : `${path}${query}`);
    this.#learn(path, answer);
    return answer;
  }

  #query(): string {
    const random = this.#random;
    const likely = () => random.of(['2026-11-22', 'XAF', 'succeeded', '1', this.#memory.cursor(random), 'Awa']);
    const value = () => (random.chance(0.4) ? likely().toWellFormed() : text(random));
    const given = QUERY.filter(() => random.chance(0.25)).map((name): [string, string] => [name, value()]);
    return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
  }

  async #submit(form: HtmlForm): Promise<void> {
    const answer = await this.#ask('POST', form.action, filled(form, this.#random, this.#addresses));
    if (answer.to?.startsWith('/console/') && this.#random.chance(0.5)) await this.#open(answer.to, false);
    else this.#learn(null, answer);
  }

  async #ask(method: 'GET' | 'POST', path: string, fields?: [string, string][]): Promise<Received> {
    const random = this.#random;
    const body = fields && new URLSearchParams(fields).toString();
    const type = random.chance(0.98) ? FORM : 'application/json';
    const headers = { accept: 'text/html', 'accept-encoding': 'identity', ...this.#jar.headerFor(path) };
    const sent = { method, path, headers: body === undefined ? headers : { ...headers, 'content-type': type }, body };
    const answer = await this.#sender.send(sent, 'console');
    this.#jar.keep(answer.setCookies);
    if (method === 'POST') this.#forms.count(path, answer.status);
    const isOut = /^\/console\/(?:sign-in|confirm)/.test(answer.to ?? '');
    // A form may have ended the session, or taken the role away.
    if (isOut || (answer.status === 403 && random.chance(0.3))) this.#signedIn = false;
    return answer;
  }

  /** Keeps the paths that a page names, and where its forms are. */
  #learn(page: string | null, { type, text: shown }: Received): void {
    if (!type?.startsWith('text/html')) return;
    const forms = formsOf(shown);
    const token = forms.find(({ method, hidden }) => method === 'post' && hidden.length > 0)?.hidden.slice(0, 1);
    if (token) this.#token = token;
    for (const [, path = ''] of shown.matchAll(/href="(\/console\/[^"?#]*)/g)) this.#keep(path);
    for (const { method, action } of forms) {
      const route = method === 'post' ? this.#keep(plain(action)) : undefined;
      if (route !== undefined && page !== null) this.#shownAt.set(route, page);
    }
  }

  /** @returns the route that takes this path */
  #keep(path: string): string | undefined {
    const found = this.#patterns.find(({ pattern }) => pattern.test(path));
    if (!found) return undefined;
    const values = found.pattern.exec(path)?.slice(1) ?? [];
    const owner = found.path.startsWith(TEAM) ? `${values[0]}/${values[1]}` : '';
    for (const [i, name] of found.names.entries()) {
      const place = `${owner} ${name}`;
      const known = this.#seen.get(place) ?? [];
      const value = values[i] as string;
      if (!known.includes(value)) known.push(value);
      if (known.length > KEPT) known.shift();
      this.#seen.set(place, known);
    }
    return found.path;
  }

  /** Returns a path of this route: with what pages named, now and then with anything. */
  #filledPath(route: string): string {
    const random = this.#random;
    const inTeam = route.startsWith(TEAM);
    if (this.#liveOnly.has(route)) this.#memory.caller = 'live';
    const own = OWN_TEAM.test(route.slice(TEAM.length)) || random.chance(0.05);
    const owner = inTeam ? `${own ? this.#teams.own : this.#teams.shop}/${this.#memory.caller}` : '';
    const filledIn = inTeam ? route.replace(TEAM, `/console/${owner}`) : route;
    return filledIn.replace(/:\w+/g, (name) => {
      const place = `${owner} ${route.slice(0, route.lastIndexOf(name) + name.length)}`;
      const known = this.#seen.get(place) ?? [];
      const value = known.length > 0 && random.chance(0.9) ? random.of(known) : this.#memory.id(random, undefined);
      return encodeURIComponent(value.toWellFormed()) || '%20';
    });
  }
}

const TEAM = '/console/:team/:environment';

function fullPath({ who, path }: ConsolePage): string {
  return `${who === 'team' ? TEAM : '/console'}${path}`;
}

function postsOf({ type, text: shown }: Received): HtmlForm[] {
  return type?.startsWith('text/html') ? formsOf(shown).filter(({ method }) => method === 'post') : [];
}

function plain(action: string): string {
  return action.split('?', 1)[0] as string;
}

function textField(name: string) {
  return { name, type: 'text', value: '', options: [] };
}

/** All of a list in a drawn order, again and again; between two turns what is `missed`. */
class Turns {
  readonly #all: readonly string[];
  readonly #random: Random;
  readonly #missed: () => string[];
  #left: string[];

  constructor(all: readonly string[], random: Random, missed: () => string[]) {
    this.#all = all;
    this.#random = random;
    this.#missed = missed;
    this.#left = [...all];
  }

  next(): string {
    if (this.#left.length === 0) this.#left = this.#missed();
    if (this.#left.length === 0) this.#left = [...this.#all];
    return this.#left.splice(this.#random.below(this.#left.length), 1)[0] as string;
  }
}
