import type { HtmlField, HtmlForm } from '../setup/html-forms.ts';
import type { Random } from './values.ts';

/** Values that lead behind the validation of a form, by the name of the field. */
const LIKELY: Record<string, readonly string[]> = {
  amount: ['500', '5000', '25 000', '1,5'],
  phone: ['650000000', '650000000', '+237650000003', '770000000', '+2250700000000'],
  number: ['4242424242424242', '4000002500003155', '4000000000000002'],
  expiry: ['12/34'],
  cvc: ['123'],
  otp: ['123456'],
  email: ['awa@shop.example', 'koffi@client.example'],
  name: ['Awa Ngo', 'Chez Koffi'],
  currency: ['XAF', 'XAF', 'XOF'],
  csv: ['name,phone,amount,currency\nAwa,+237650000000,500,XAF\n"=1+1",x,-1,ZZZ'],
};
/** Addresses are drawn from a list: nothing leaves this machine. */
const ADDRESS = /url|logo|callback|address|website/i;

export type Filled = [name: string, value: string][];

/** Fills in a form: the hidden fields as they came, the others as a payer or as an attacker would. */
export function filled(form: HtmlForm, random: Random, addresses: readonly string[]): Filled {
  const hostile = random.of([0, 0, 0, 0.2, 0.6]);
  const typed = form.fields.flatMap((field): Filled => {
    if (field.type === 'button') return random.chance(0.5) ? [[field.name, field.value]] : [];
    const isBox = field.type === 'checkbox' || field.type === 'radio';
    if (random.chance(isBox ? 0.4 : hostile / 4)) return [];
    const once: Filled = [[field.name, typedInto(field, random, random.chance(hostile), addresses)]];
    return random.chance(hostile / 10) ? [...once, ...once] : once;
  });
  const hidden = form.hidden.map(([name, value]): Filled[number] => [name, random.chance(0.02) ? text(random) : value]);
  return [...hidden, ...typed];
}

function typedInto(field: HtmlField, random: Random, hostile: boolean, addresses: readonly string[]): string {
  const { name, type, value, options } = field;
  if (type === 'url' || ADDRESS.test(name)) return random.of(addresses);
  if (hostile) return text(random);
  if (options.length > 0) return random.of(options);
  const likely = LIKELY[name];
  if (likely && random.chance(0.8)) return random.of(likely);
  if (value !== '' && random.chance(0.7)) return value;
  return type === 'number' ? String(random.below(50)) : `word ${random.below(50)}`;
}

/** Returns a value that a form is unlikely to expect, as text. */
export function text(random: Random): string {
  const value = random.odd();
  return (typeof value === 'string' ? value : JSON.stringify(value)).toWellFormed();
}

/** Returns the fields as JSON, where a script would send them; some values are no texts. */
export function asJson(fields: Filled, random: Random): string {
  const values = fields.map(([name, value]) => [name, random.chance(0.1) ? random.odd() : value]);
  return JSON.stringify(random.chance(0.1) ? random.odd() : Object.fromEntries(values)) ?? 'null';
}
