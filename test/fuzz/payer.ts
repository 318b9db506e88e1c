import { CookieJar } from '../setup/cookie-jar.ts';
import { formsOf, type HtmlForm } from '../setup/html-forms.ts';
import { asJson, filled } from './fill.ts';
import type { FormRoutes } from './form-routes.ts';
import type { Memory } from './requests.ts';
import type { Received, Sender } from './sender.ts';
import type { Random } from './values.ts';

const PAGE_PARTS = ['', '/card', '/otp', '/cancel', '/receipt', '/receipt.pdf', '/status', '/logo', '/nothing', '/%00'];
/** What the forms of a payment's page are sent to. */
const STEPS = ['', '/otp', '/card', '/cancel'];
const LANGUAGES = ['fr', 'en', 'pt', 'zz'];
const FORM = 'application/x-www-form-urlencoded';

/** What a visitor of pages works with. */
export interface Visitor {
  sender: Sender;
  random: Random;
  memory: Memory;
  forms: FormRoutes;
  /** Addresses that forms may name. */
  addresses: readonly string[];
}

/** A payer at the pages of payments, links and invoices: opens one, fills in its form, and goes where the answer leads. */
export class FuzzPayer {
  readonly #sender: Sender;
  readonly #random: Random;
  readonly #memory: Memory;
  readonly #forms: FormRoutes;
  readonly #addresses: readonly string[];
  #jar = new CookieJar();

  constructor({ sender, random, memory, forms, addresses }: Visitor) {
    this.#sender = sender;
    this.#random = random;
    this.#memory = memory;
    this.#forms = forms;
    this.#addresses = addresses;
  }

  /** Opens a page that an earlier answer named, and mostly sends forms: of it, and of the pages to which they lead. */
  async visit(): Promise<void> {
    const random = this.#random;
    this.#memory.caller = 'payer';
    if (random.chance(0.1)) this.#jar = new CookieJar();
    const page = this.#page();
    if (random.chance(0.25)) return void (await this.#look(page));
    let shown = await this.#open(random.chance(0.3) ? `${page}?note=ask` : page);
    for (let step = 0; step < 3; step++) {
      const forms = formsOf(shown.text).filter(({ method }) => method === 'post');
      if (forms.length === 0) return;
      shown = await this.#submit(page, random.of(forms));
      if (shown.to === null) continue;
      this.#memory.learnPage(shown.to);
      shown = await this.#open(shown.to);
    }
  }

  /** Returns the path of a page; each kind of page is as likely, because most that are named are of payments. */
  #page(): string {
    const random = this.#random;
    const page = random.of(random.of([...this.#memory.pages.values()]));
    return page.split('?')[0] as string;
  }

  /** Opens a part of a page, now and then of one that does not exist. */
  async #look(page: string): Promise<void> {
    const random = this.#random;
    const damaged = random.chance(0.3) ? `${page.slice(0, -3)}xyz` : page;
    const lang = random.chance(0.3) ? `?lang=${random.of(LANGUAGES)}` : '';
    await this.#open(`${damaged}${random.of(PAGE_PARTS)}${lang}`);
  }

  async #open(path: string): Promise<Received> {
    return this.#ask({ method: 'GET', path, headers: { accept: 'text/html' }, body: undefined });
  }

  async #submit(page: string, form: HtmlForm): Promise<Received> {
    const random = this.#random;
    const own = form.action || page;
    const ofPayment = /^\/pay\/[^/?]+/.exec(own)?.[0];
    // The token of a form is the same for all steps of a payment: a step is sent, too, while the page does not offer it.
    const path = ofPayment !== undefined && random.chance(0.3) ? `${ofPayment}${random.of(this.#steps())}` : own;
    const fields = filled(form, random, this.#addresses);
    const isJson = random.chance(0.1);
    const type = isJson ? 'application/json' : FORM;
    const accept = isJson || random.chance(0.05) ? 'application/json' : 'text/html';
    const site = random.chance(0.02) ? { 'sec-fetch-site': 'cross-site' } : {};
    const body = isJson ? asJson(fields, random) : new URLSearchParams(fields).toString();
    return this.#ask({ method: 'POST', path, headers: { 'content-type': type, accept, ...site }, body });
  }

  /** Returns the steps of which no post has passed the check of the form yet, or else all: so the seed does not decide whether each is reached. */
  #steps(): readonly string[] {
    const { neverPassed } = this.#forms;
    const missing = STEPS.filter((step) => neverPassed.includes(`/pay/:token${step}`));
    return missing.length > 0 ? missing : STEPS;
  }

  async #ask(request: { method: string; path: string; headers: Record<string, string>; body: string | undefined }) {
    const { path, headers } = request;
    const target = request.method === 'POST' && /^\/pay\/[^/?]+$/.test(path) ? 'charge' : 'page';
    // Compressing and reading a page takes as long as making it.
    const encoding: Record<string, string> = this.#random.chance(0.1) ? {} : { 'accept-encoding': 'identity' };
    const sent = { ...this.#jar.headerFor(path), ...encoding, ...headers };
    const answer = await this.#sender.send({ ...request, headers: sent }, target);
    this.#jar.keep(answer.setCookies);
    if (request.method === 'POST') this.#forms.count(path, answer.status);
    return answer;
  }
}
