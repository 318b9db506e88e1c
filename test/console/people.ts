import assert from 'node:assert/strict';
import { newId } from '../../src/kit/ids.ts';
import { FORM_FIELD } from '../../src/edge/console/forms.ts';
import type { Role } from '../../src/tenants/people/roles.ts';
import { openSession } from '../../src/tenants/people/sessions.ts';
import { insertMembership, insertUser } from '../../src/tenants/people/store.ts';
import type { Team } from '../../src/tenants/teams/schema.ts';
import type { Api } from '../setup/api.ts';
import { formsOf } from '../setup/html-forms.ts';

/** An answer of the console, read whole. */
export interface Shown {
  status: number;
  headers: Headers;
  text: string;
  /** Path to which it leads; null for a page. */
  to: string | null;
}

/** A person in front of a browser: keeps cookies, follows nothing by itself. */
export class Person {
  readonly id: string;
  readonly url: string;
  readonly #cookies = new Map<string, string>();

  constructor(url: string, id = '') {
    this.url = url;
    this.id = id;
  }

  get cookies(): ReadonlyMap<string, string> {
    return this.#cookies;
  }

  setCookie(name: string, value: string): void {
    this.#cookies.set(name, value);
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Shown> {
    return this.#send('GET', path, undefined, headers);
  }

  /** Opens the page, takes the hidden fields of its form and submits it with these values. */
  async submit(page: string, action: string, values: Record<string, string> = {}): Promise<Shown> {
    const { text } = await this.get(page);
    return this.post(action, { ...formToken(text), ...values });
  }

  post(path: string, values: Record<string, string> | [string, string][], headers: Record<string, string> = {}): Promise<Shown> {
    return this.#send('POST', path, new URLSearchParams(values).toString(), {
      'content-type': 'application/x-www-form-urlencoded',
      'sec-fetch-site': 'same-origin',
      ...headers,
    });
  }

  async #send(method: string, path: string, body: string | undefined, headers: Record<string, string>): Promise<Shown> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(new URL(path, this.url), {
      method,
      redirect: 'manual',
      // Pages are sent as they are: compressing and reading each of thousands takes as long as making it.
      headers: { 'accept-language': 'en', 'accept-encoding': 'identity', ...(cookie ? { cookie } : {}), ...headers },
      ...(body === undefined ? {} : { body }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line) as unknown as [string, string, string];
      if (value === '') this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    return {
      status: response.status,
      headers: response.headers,
      text: await response.text(),
      to: response.headers.get('location'),
    };
  }
}

/** Returns the hidden token of the first form in a page. */
export function formToken(page: string): Record<string, string> {
  const value = new RegExp(`name="${FORM_FIELD}" value="([^"]+)"`).exec(page)?.[1];
  return value === undefined ? {} : { [FORM_FIELD]: value };
}

/** Returns the hidden fields of the forms in the contents of a page; of fields with one name, the last. The frame has forms of its own. */
export function hiddenOf({ text }: Shown): Record<string, string> {
  const fields = text.slice(text.indexOf('<main')).matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g);
  return Object.fromEntries([...fields].map(([, name = '', value = '']) => [name, value]));
}

/** Returns the hidden fields of the form in a page that is sent to `action`. */
export function hiddenFor({ text }: Shown, action: string): Record<string, string> {
  const form = formsOf(text).find((one) => one.action.split('?')[0] === action);
  return Object.fromEntries(form?.hidden ?? assert.fail(`no form ${action}`));
}

/** A person with a role in a team, signed in. */
export async function signedIn(api: Api, role: Role, team: Team = api.team, name = `${role} person`): Promise<Person> {
  const id = newId('usr', 'live', Date.now());
  const { control } = api.deps.stores;
  await insertUser(control, { id, email: `${id}@shop.example`, name, password: null, locale: null, operator: false });
  await insertMembership(control, team.id, id, role);
  const { cookie } = await openSession(control, id, { address: '127.0.0.1', agent: 'test' }, Date.now());
  const person = new Person(api.url, id);
  person.setCookie('pirogue_session', cookie);
  return person;
}
