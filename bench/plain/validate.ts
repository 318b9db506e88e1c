/** What POST /payments accepts, when it is valid. */
export interface Body {
  amount: number;
  currency: string;
  email?: string;
  customer_id?: string;
  phone?: string;
  customer?: { email?: string; phone?: string };
  name?: string;
  description?: string;
  reference?: string;
  callback?: string;
  expires?: { in?: number };
  bearer?: 'merchant' | 'customer';
  theming?: object | null;
  address?: object | null;
  shipping?: object | null;
  telemetry?: object | null;
  metadata?: object | null;
  items?: { name?: string; description?: string; quantity?: number }[];
}

export type Errors = Record<string, string[]>;
type Fields = Record<string, unknown>;

const CURRENCIES = new Set(
  'XAF XOF NGN GHS KES UGX TZS RWF ZMW CDF GNF GMD SLE LRD MWK MZN ETB MAD TND EGP ZAR USD EUR GBP'.split(' '),
);
const MAX_AMOUNT = 1e12;
const MAX_ITEMS = 100;
const LENGTHS = { customer_id: 64, phone: 32, name: 255, description: 500, reference: 128 };
const OBJECTS = ['theming', 'address', 'shipping', 'telemetry', 'metadata'];
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

/** Returns what is wrong with a body, by field; null when nothing is. */
export function errorsOf(body: Fields): Errors | null {
  const errors: Errors = {};
  const reject = (field: string, why: string) => {
    errors[field] = [why];
  };
  checkMoney(body, reject);
  for (const [field, longest] of Object.entries(LENGTHS)) checkText(body[field], field, longest, reject);
  checkEmail(body.email, 'email', reject);
  checkCustomer(body, reject);
  checkText(body.callback, 'callback', 2048, reject);
  if (typeof body.callback === 'string' && !URL.canParse(body.callback)) reject('callback', 'must be a valid URL');
  for (const field of OBJECTS) if (body[field] != null && !isObject(body[field])) reject(field, 'must be an object');
  if (body.bearer !== undefined && body.bearer !== 'merchant' && body.bearer !== 'customer')
    reject('bearer', 'must be merchant or customer');
  checkExpiry(body.expires, reject);
  checkItems(body.items, reject);
  return Object.keys(errors).length === 0 ? null : errors;
}

type Reject = (field: string, why: string) => void;

function checkMoney({ amount, currency }: Fields, reject: Reject): void {
  const isExact = typeof amount === 'number' && amount <= MAX_AMOUNT && Math.round(amount * 100) / 100 === amount;
  if (!isExact || amount < 0.01) reject('amount', 'must be a number of at least 0.01 with at most two decimals');
  if (typeof currency !== 'string' || !CURRENCIES.has(currency)) reject('currency', 'must be a supported currency');
}

function checkCustomer({ email, customer_id, phone, customer }: Fields, reject: Reject): void {
  if (email === undefined && customer_id === undefined && phone === undefined && customer === undefined)
    reject('email', 'is required without customer_id, phone or customer');
  if (isObject(customer)) {
    checkEmail(customer.email, 'customer.email', reject);
    checkText(customer.phone, 'customer.phone', 32, reject);
  } else if (customer !== undefined) reject('customer', 'must be an object');
}

function checkExpiry(expires: unknown, reject: Reject): void {
  if (isObject(expires)) {
    const minutes = expires.in ?? 1440;
    if (!Number.isInteger(minutes) || (minutes as number) < 5 || (minutes as number) > 43_200)
      reject('expires.in', 'must be an integer from 5 to 43200');
  } else if (expires !== undefined) reject('expires', 'must be an object');
}

function checkItems(items: unknown, reject: Reject): void {
  if (items === undefined) return;
  if (Array.isArray(items) && items.length <= MAX_ITEMS) {
    for (const [i, item] of items.entries()) checkItem(item, `items.${i}`, reject);
  } else reject('items', `must be a list of at most ${MAX_ITEMS}`);
}

function checkItem(item: unknown, field: string, reject: Reject): void {
  if (!isObject(item)) {
    reject(field, 'must be an object');
    return;
  }
  checkText(item.name, `${field}.name`, 255, reject);
  checkText(item.description, `${field}.description`, 1000, reject);
  if (item.quantity !== undefined && !(typeof item.quantity === 'number' && item.quantity >= 0))
    reject(`${field}.quantity`, 'must be a number of at least 0');
}

function checkEmail(value: unknown, field: string, reject: Reject): void {
  checkText(value, field, 255, reject);
  if (typeof value === 'string' && !EMAIL.test(value)) reject(field, 'must be a valid e-mail address');
}

function checkText(value: unknown, field: string, longest: number, reject: Reject): void {
  if (value !== undefined && !(typeof value === 'string' && value.length <= longest))
    reject(field, `must be a text of at most ${longest} characters`);
}

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
