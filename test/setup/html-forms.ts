/** A form of a page, as a browser reads it. */
export interface HtmlForm {
  method: 'get' | 'post';
  /** Empty: the address of the page. */
  action: string;
  /** What the payer does not see, in the order of the page. */
  hidden: [name: string, value: string][];
  /** What can be typed or chosen; a button with a name is one, too. */
  fields: HtmlField[];
}

export interface HtmlField {
  name: string;
  /** Of an input; otherwise the name of the element. */
  type: string;
  value: string;
  /** Values of a list; empty where anything can be typed. */
  options: string[];
}

const ATTRIBUTES = String.raw`((?:\s+[\w-]+(?:="[^"]*")?)*)\s*/?>`;
const FORM = new RegExp(String.raw`<form\b${ATTRIBUTES}([\s\S]*?)</form>`, 'g');
const FIELD = new RegExp(String.raw`<(input|select|textarea|button)\b${ATTRIBUTES}`, 'g');
const OPTION = new RegExp(String.raw`<option\b${ATTRIBUTES}`, 'g');

/** Returns the forms of a page, with their fields that have a name. */
export function formsOf(page: string): HtmlForm[] {
  return [...page.matchAll(FORM)].map(([, attributes = '', body = '']) => {
    const { method, action = '' } = attributesOf(attributes);
    const all = fieldsOf(body);
    return {
      method: method === 'post' ? 'post' : 'get',
      action,
      hidden: all.filter(({ type }) => type === 'hidden').map(({ name, value }) => [name, value]),
      fields: all.filter(({ type }) => type !== 'hidden'),
    };
  });
}

function fieldsOf(body: string): HtmlField[] {
  return [...body.matchAll(FIELD)].flatMap((match) => {
    const [whole, element = '', attributes = ''] = match;
    const { name, type, value } = attributesOf(attributes);
    if (name === undefined) return [];
    const inside = body.slice(match.index + whole.length).split(`</${element}>`, 1)[0] ?? '';
    const options = element === 'select' ? [...inside.matchAll(OPTION)].map(([, of = '']) => attributesOf(of).value ?? '') : [];
    const typed = element === 'textarea' ? plain(inside) : (value ?? '');
    const chosen = element === 'button' || type === 'radio' || type === 'checkbox' ? [typed] : options;
    return [{ name, type: element === 'input' ? (type ?? 'text') : element, value: typed, options: chosen }];
  });
}

function attributesOf(text: string): Record<string, string | undefined> {
  return Object.fromEntries([...text.matchAll(/([\w-]+)(?:="([^"]*)")?/g)].map(([, name, value = '']) => [name, plain(value)]));
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

function plain(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#39);/g, (_, entity: string) => ENTITIES[entity] as string);
}
